"""Lei and Rundensteiner 2014: a few robust plans, one placement for all of them."""
