"""What a report shows beside a finding: costs, curves, differences, causes."""
