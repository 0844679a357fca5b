"""What researchers look at: Saliency, metrics of a project, lists."""
