"""The report in Markdown: a comment of a pull request, a summary of a job."""
