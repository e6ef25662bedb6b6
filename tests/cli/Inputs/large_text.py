"""large_text.py FILE BYTES LINE...: lines of a text of no language, with each
LINE on the way, far from the next one."""
import sys

path, size, wanted = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
places = [size * (2 * k + 1) // (2 * len(wanted)) for k in range(len(wanted))]
with open(path, "w") as out:
    done, i = 0, 0
    while done < size:
        if places and done >= places[0]:
            done += out.write(wanted.pop(0) + "\n")
            places.pop(0)
        done += out.write(f"let v{i} = call f{i % 97}(v{i // 2}) in {{ x; y }}\n")
        i += 1
