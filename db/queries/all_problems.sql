SELECT id, algorithm, request, shape FROM problem
