"""Does the host still stand where it stood when the baseline was accepted?"""
