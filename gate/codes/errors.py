"""The codes of errors: what keeps the gate from measuring or judging at all."""

from __future__ import annotations

from gate.codes.page import Page

ERRORS = {
    "G200": Page("usage", "An option or argument is wrong.", "See `gate COMMAND --help`."),
    "G201": Page(
        "file not readable",
        "The file does not exist, is not a regular file, or may not be read.",
        "Check the path and its permissions.",
    ),
    "G202": Page(
        "file too large",
        "Files are capped so that a hostile one cannot exhaust the machine.",
        "Hand in a session or export of a sane size.",
    ),
    "G203": Page("not UTF-8 text", "The file holds binary data.", "Hand in the right file."),
    "G204": Page("malformed TOML", "The file is not TOML.", "Mend the line named."),
    "G205": Page("malformed JSON", "The file is not JSON.", "Write the file anew."),
    "G206": Page(
        "unknown or wrong key",
        "A key is not known, is missing, or its value is of the wrong type or out of range.",
        "The message says what is allowed; `gate schema` prints the whole format.",
    ),
    "G207": Page(
        "another schema number",
        "The file was written by a version of the gate with another file format.",
        "Use the version that wrote it, or write the file anew.",
    ),
    "G208": Page(
        "not writable",
        "A file or directory could not be written. What was there before is unchanged.",
        "Check permissions and free space, or choose another directory.",
    ),
    "G210": Page(
        "profile says too little or contradicts itself",
        "The profile lacks what its harness needs, or its settings exclude each other.",
        "The message names the key and what is needed.",
    ),
    "G211": Page(
        "no such profile",
        "No file of that name stands in the profiles directory.",
        "`gate check` without names takes all profiles.",
    ),
    "G220": Page(
        "session not accepted",
        "Only a complete, undisturbed session of the right host class whose trials all succeeded "
        "may become a baseline, and only with a reason.",
        "The message says which condition failed.",
    ),
    "G221": Page(
        "resume not possible",
        "The session belongs to another profile text, host, boot or version of the tools.",
        "Start a new session; the partial one stays as it is.",
    ),
    "G222": Page(
        "directory in use or not empty",
        "The output directory holds another run's results.",
        "Name another directory with `--out`, or continue that run with `--resume`.",
    ),
    "G230": Page("program missing", "A harness is not installed.", "Install it: `make setup`."),
    "G231": Page(
        "program of an unsupported version",
        "The harness is too old or too new for what the gate knows of its output.",
        "Install a version in the range named.",
    ),
    "G232": Page(
        "unsafe fio job",
        "The job could write or read outside the work directory, or destroy a device; or it is not "
        "the job that is meant: an option is used elsewhere, or a background load would end.",
        "Use plain file names; the gate runs fio inside the work directory. Otherwise do as the "
        "message says.",
    ),
    "G233": Page(
        "unknown name in braces",
        "A `{name}` in the command is neither `{side}` nor a key of the matrix.",
        "Use one of the names listed; write `{{` for a plain brace.",
    ),
    "G234": Page(
        "no directory for the side",
        "The command uses `{side}`, and no directory is known for the side to be measured.",
        "Declare `[side.head]` in the profile, or pass `--head DIR`.",
    ),
    "G235": Page(
        "export not understood",
        "The file is no JSON export of fio, hyperfine or pytest-benchmark, or only part of one.",
        "Write it again with the tool's JSON option.",
    ),
    "G236": Page(
        "export of a failed run",
        "The export records a failure: an error number, or an exit status that is not zero.",
        "Mend the run; numbers of a failed run are not measurements.",
    ),
    "G237": Page(
        "sides without effect",
        "Base and head were named, but the profile uses neither: both would run the same thing, "
        "and a slow head would pass.",
        "Use `{side}` in the command, `${GATE_SIDE_DIR}` in a fio job, or environments.",
    ),
    "G238": Page(
        "metric not available on this host",
        "The profile lets a metric close the gate that this host cannot give: the processors count "
        "no cycles here (as in most virtual machines), energy cannot be read, or /proc is not "
        "there. A trial without it would be no trial.",
        'Give the metric `role = "watch"`: it is then told as not available, and closes nothing; '
        "or measure on a host that has it.",
    ),
    "G240": Page(
        "the host is busy measuring",
        "Another gate process measures on this host; the message names it as far as it can be "
        "known. Two measurements at once would disturb each other. The lock is the kernel's: it is "
        "free as soon as its holder is gone, however it ended, so nothing has to be removed.",
        "Wait for it to end, or let the gate wait: `--wait 10min`. It measures nothing meanwhile.",
    ),
    "G244": Page(
        "noise probe impossible",
        "The noise probe of `gate host check` runs fixed pieces of work, one of which writes "
        "a file of 4 MiB in the work directory again and again. It could not: no room is left, the "
        "directory cannot be written, or a process of the probe was killed.",
        "Free some room, or name a directory on the disk that measures with `--work DIR`.",
    ),
    "G248": Page(
        "the session was disturbed",
        "So many trials were set aside, because somebody else used the machine or the machine was "
        "not well, that the gate stopped taking them again: more than `set_aside` of `[limits]` in "
        "host.toml (half of those planned, at least 3). The session is kept with all its trials, "
        "and is neither judged nor accepted.",
        "Find out who works on this machine (the message names the worst), and measure again when "
        "it is quiet. What the workload does by itself belongs into the profile: `companions` "
        "names processes that are a part of it, `expects` kinds of disturbance that it makes.",
    ),
    "G247": Page(
        "malformed recording",
        "A recording is gzip CSV of series, better, session, trial, value; one line is not that.",
        "Mend the line named. Values are finite and above 0, and no trial stands twice.",
    ),
    "G249": Page(
        "the list of allowed devices cannot be trusted",
        "Everything on an allowed device may be lost, so only root may say which they are. The "
        "file, or a directory above it, belongs to somebody else, may be written by others, or is "
        "a link.",
        "chown root:root and chmod go-w the path that is named; put a plain file in place of a "
        "link.",
    ),
    "G250": Page(
        "not the allowed device",
        "The name in the list of allowed devices leads to nothing, to something that is no block "
        "device, or to another device than the one that was looked at.",
        "Plug the drive in, or correct its name below /dev/disk/by-id.",
    ),
    "G251": Page(
        "the device is in use",
        "It is mounted somewhere, is swap, carries a volume or an array, is open in a process, "
        "or the machine itself runs from it. Nothing was written.",
        "Take it out of use if nothing on it is needed; never name a disk that the machine needs.",
    ),
    "G252": Page(
        "the device holds data",
        "It has partitions, or a signature of a file system, an array, a volume or a key. "
        "Nothing was written.",
        "Look what it holds. If that is not needed: wipefs --all DEVICE.",
    ),
    "G253": Page(
        "the device cannot be written here",
        "It is a partition, is read-only, is too small, or could not be examined, which counts "
        "as a reason not to write it. Nothing was written.",
        "Do as the message says.",
    ),
    "G254": Page(
        "a directory outside the project",
        "A profile names a directory, or gives pytest a path, that leads out of the project: by "
        "an absolute path, `..`, `~`, a variable or a link. A profile may come with a pull "
        "request, so only the command line may name such a place.",
        "Use a directory of the project, or name the side with --base DIR or --head DIR.",
    ),
    "G255": Page(
        "no such device for the gate",
        "A profile asks for a device that this machine's owner did not give to the gate. Nothing "
        "was written.",
        "Root names devices in /etc/driftgate/devices.toml, by /dev/disk/by-id; whatever is on "
        "them will be lost.",
    ),
    "G256": Page(
        "no mounts of our own",
        "A profile wants a file system on a device, which the gate mounts where nobody else sees "
        "it. The kernel did not allow that.",
        "Run the gate as root, outside a container without CAP_SYS_ADMIN.",
    ),
    "G257": Page(
        "write budget spent",
        "What the profile would do next writes more than its `storage.write_budget` leaves. What "
        "was measured so far is kept; nothing is judged of half a session.",
        "Raise the budget if the drive can bear it, measure fewer benchmarks, or leave "
        "preconditioning out.",
    ),
    "G258": Page(
        "storage not brought into its state",
        "A step of the profile's `[storage]` failed: a program is missing, the storage takes no "
        "direct I/O, or the device is busy. A trial in another state would be no trial.",
        "Run the command that the message names by hand.",
    ),
    "G259": Page(
        "record of our file systems spoilt",
        "The gate writes down which file systems it made on devices, so that it knows them again "
        "after a crash. That record cannot be read, and without it they could be anybody's.",
        "Look at the devices of the allow-list, wipe those that may be wiped, and remove the file.",
    ),
    "G280": Page(
        "nothing to compare",
        "No profile, no benchmark or no gate metric was there to judge.",
        "Check the names and the filter; an empty comparison never opens the gate.",
    ),
    "G290": Page(
        "interrupted",
        "The run was stopped by a signal; everything measured so far is kept.",
        "Continue with `--resume`.",
    ),
    "G299": Page(
        "internal error",
        "The gate itself failed. That is our fault, and never opens the gate.",
        "Report it with the text printed; `GATE_TRACEBACK=1` shows where it happened.",
    ),
}
