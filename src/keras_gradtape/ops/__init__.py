"""The ops of Keras, by subject, written in those of gradtape."""
