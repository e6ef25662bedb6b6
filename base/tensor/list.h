/* File formats of tensors, in the order in which they are sniffed. */
FORMAT(npy)
FORMAT(npz)
FORMAT(pt)
FORMAT(safetensors)
FORMAT(text)
FORMAT(bin)
