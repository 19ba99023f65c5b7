def zeros(rows, columns):
    return [[0] * columns] * rows


def identity(size):
    out = zeros(size, size)
    for i in range(size):
        out[i][i] = 1
    return out


def transpose(m):
    return [[m[j][i] for j in range(len(m[0]))] for i in range(len(m))]


def multiply(a, b):
    size = len(a)
    return [[sum(a[i][k] * b[k][j] for k in range(size)) for j in range(size)] for i in range(size)]
