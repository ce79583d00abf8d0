"""junbi (準備): gets PAI training jobs ready and launches them, once, when what they need arrives."""
