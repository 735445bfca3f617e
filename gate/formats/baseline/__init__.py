"""What is accepted: baselines, waivers, kernels, calibrations and their rounds."""
