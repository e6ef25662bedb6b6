/* File formats of tensors, in the order in which their bytes are asked. */
FORMAT(npy)
FORMAT(npz)
FORMAT(pt)
FORMAT(safetensors)
FORMAT(text)
FORMAT(bin)
