"""Publishing: a report to GitHub, as summary, annotations, outputs, comment and check.

Every failure is a PublishError. G270: GitHub refuses. G271: a rate limit lasts too long. G272: no
connection, or a server that keeps failing. G273: an answer is not what GitHub documents. G274:
somebody else was quicker. G275: an artifact is not what was expected. G276: who asks may not. G277:
what was measured cannot become a baseline. G279: a file of the runner cannot be written. An option
that cannot be meant is an InputError, G200 or G220.
"""
