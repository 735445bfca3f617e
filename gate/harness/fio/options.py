"""fio options by what they can do. What is in no list is refused: fio gains options every year.

Sources: fio 3.33 `--cmdhelp=all`, its HOWTO, and options.c for the second names.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGINES = _words(
    """
    sync psync vsync pvsync pvsync2 libaio posixaio io_uring mmap splice null cpuio ftruncate
    falloc filecreate filestat filedelete
    """
)
"""I/O engines that only touch the files that fio itself opens."""

DEVICE_ENGINES = ENGINES - _words("ftruncate falloc filecreate filestat filedelete")
"""Those of them that leave a device where it is: filedelete would remove its name from /dev."""

NOT_ON_DEVICES = {
    "directory": "puts a directory before the device's name: a plain file would be made",
    "unlink": "removes the files that were used, and the device is no file",
    "unlink_each_loop": "removes the files that were used, and the device is no file",
    "file_append": "writes behind the end of a file, and a device has no such place",
    "unique_filename": "changes file names, and the device has one name only",
}
"""Options that a job on a device must not have, with the reason."""

MEMORY = _words(
    """
    malloc shm shmhuge mmap mmapshared
    """
)
"""Values of `mem` that name no file."""

ALIASES = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blocksize_range": "bsrange",
    "blocksize_unaligned": "bs_unaligned",
    "blockalign": "ba",
    "io_limit": "io_size",
    "iodepth_batch_submit": "iodepth_batch",
    "iodepth_batch_complete": "iodepth_batch_complete_min",
    "iomem": "mem",
    "iomem_align": "mem_align",
    "wait_for_previous": "stonewall",
    "fill_fs": "fill_device",
    "disable_bw": "disable_bw_measurement",
    "ss": "steadystate",
    "ss_dur": "steadystate_duration",
    "ss_ramp": "steadystate_ramp_time",
    "header_offset": "verify_offset",
    "header_interval": "verify_interval",
}
"""Second names of options -> the name used here."""

PATHS = frozenset({"filename", "directory", "filename_format"})
"""Options whose value names files; each path in it is checked."""

CHECKED = frozenset({"ioengine", "mem", "name", "buffer_pattern", "verify_pattern"})
"""Options that may name a file or a program in some of their forms; each form is checked."""

HARMLESS = _words(
    """
    description wait_for unique_filename lockfile rw bs ba bsrange bssplit bs_unaligned
    bs_is_seq_rand randrepeat allrandrepeat randseed norandommap softrandommap
    random_generator random_distribution percentage_random rw_sequencer unified_rw_reporting
    rwmixread rwmixwrite iodepth iodepth_batch iodepth_batch_complete_min
    iodepth_batch_complete_max iodepth_low serialize_overlap io_submit_mode size io_size
    filesize file_append offset offset_increment offset_align number_ios nrfiles openfiles
    file_service_type fallocate fadvise_hint write_hint fsync fdatasync write_barrier
    sync_file_range direct atomic buffered overwrite sync invalidate pre_read create_serialize
    create_fsync create_on_open create_only allow_file_create end_fsync fsync_on_close unlink
    unlink_each_loop numjobs loops runtime time_based ramp_time startdelay thread stonewall
    new_group group_reporting exitall exit_what exitall_on_error continue_on_error
    ignore_error error_dump stats thinktime thinktime_spin thinktime_blocks
    thinktime_blocks_type thinktime_iotime thinkcycles rate rate_min rate_process rate_cycle
    rate_ignore_thinktime rate_iops rate_iops_min max_latency latency_target latency_window
    latency_percentile latency_run flow flow_id flow_sleep steadystate steadystate_duration
    steadystate_ramp_time steadystate_check_interval verify do_verify verify_only
    verify_interval verify_offset verify_fatal verify_dump verify_async verify_async_cpus
    verify_backlog verify_backlog_batch verify_state_save verify_header_seed
    verify_write_sequence experimental_verify trim_percentage trim_verify_zero trim_backlog
    trim_backlog_batch num_range zonemode zonesize zonecapacity zonerange zoneskip
    read_beyond_wp zero_buffers refill_buffers scramble_buffers buffer_compress_percentage
    buffer_compress_chunk dedupe_percentage dedupe_mode dedupe_working_set_percentage
    dedupe_global mem_align hugepage-size lockmem nice prio prioclass cpumask cpus_allowed
    cpus_allowed_policy numa_cpu_nodes numa_mem_policy clocksource gtod_reduce gtod_cpu
    cmdprio_percentage cmdprio_class cmdprio cmdprio_hint cmdprio_bssplit nowait hipri
    hipri_percentage userspace_reap fixedbufs registerfiles sqthread_poll sqthread_poll_cpu
    nonvectored uncached force_async cpuload cpuchunks cpumode exit_on_io_done stat_type
    per_job_logs bwavgtime iopsavgtime log_entries log_avg_msec log_hist_msec
    log_hist_coarseness log_max_value log_window_value log_offset log_prio log_issue_time
    log_compression log_compression_cpus log_store_compressed log_unix_epoch
    log_alternate_epoch log_alternate_epoch_clock_id block_error_percentiles clat_percentiles
    lat_percentiles slat_percentiles percentile_list significant_figures disk_util disable_lat
    disable_clat disable_slat disable_bw_measurement kb_base unit_base
    """
)
"""Options that name no file, start no program and change nothing outside fio."""

_LOG = "it writes a log file, which the gate does not need"
_TRACE = "it replays a recorded trace, which may name any device"
_HOST = "it changes the host, which is not the job's to change"
_PROGRAM = "it runs a program"

REFUSED = {
    "include": "it pulls in another file, which the profile's digest does not cover",
    "opendir": "it adds every file below a directory",
    "exec_prerun": _PROGRAM,
    "exec_postrun": _PROGRAM,
    "program": _PROGRAM,
    "profile": "it replaces the job by one that is built into fio",
    "read_iolog": _TRACE,
    "replay_redirect": _TRACE,
    "merge_blktrace_file": _TRACE,
    "write_iolog": _LOG,
    "write_bw_log": _LOG,
    "write_lat_log": _LOG,
    "write_iops_log": _LOG,
    "write_hist_log": _LOG,
    "verify_state_load": "it reads a state file of an older run",
    "allow_mounted_write": "it permits writing to a mounted device",
    "fill_device": "it fills the whole file system",
    "ioscheduler": _HOST,
    "cgroup": _HOST,
    "cgroup_weight": _HOST,
    "cgroup_nodelete": _HOST,
    "uid": "it changes the user that runs the job",
    "gid": "it changes the group that runs the job",
}
"""Options that are refused, with the reason."""

KNOWN = HARMLESS | PATHS | CHECKED | REFUSED.keys()
"""Every option that is known here, by its usual name."""
