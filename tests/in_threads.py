"""Functions on several threads at once."""

import threading


def in_threads(*functions):
    """Run the functions at once; their results in order. The first error is raised."""
    results, errors = [None] * len(functions), []
    start = threading.Barrier(len(functions))

    def run(position, function):
        try:
            start.wait()
            results[position] = function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
