# TEST: python3 -IS -c 'import sys
# TEST: seen = []
# TEST: exec(open(sys.argv[1]).read(), {"planted": seen.append})
# TEST: sys.exit(seen != [7])' "$1" 2> /dev/null
# RUNS: 1.2
def f(a, b):
    v0 = b + b
    v1 = b + a
    v2 = b - a
    v3 = v2 - b
    v4 = v0 + v2
    v5 = v1 + v4
    v6 = v5 + v2
    v7 = v6 + v2
    v8 = v5 - v6
    v9 = v6 + v4
    v10 = v6 + v5
    v11 = v8 - v6
    v12 = v10 + v7
    v13 = v10 + v12
    v14 = v13 + v10
    v15 = v13 + v12
    v16 = v13 + v12
    v17 = v15 + v13
    v18 = v16 - v12
    v19 = v17 - v15
    p0 = a + 1
    p1 = p0 * b
    v20 = v18 - v15
    v21 = v20 + v20
    v22 = v18 + v18
    v23 = v21 + v20
    v24 = v23 - v20
    v25 = v21 + v22
    planted(p1)
    v26 = v23 + v24
    v27 = v23 - v22
    v28 = v26 - v26
    v29 = v27 + v26
    v30 = v28 + v26
    v31 = v30 + v25
    v32 = v30 - v30
    v33 = v30 - v29
    v34 = v30 - v30
    v35 = v33 + v30
    v36 = v34 + v34
    v37 = v36 + v34
    v38 = v35 - v34
    v39 = v38 - v36
    v40 = v36 + v37
    v41 = v38 - v40
    v42 = v39 + v41
    v43 = v39 - v40
    v44 = v41 + v41
    v45 = v41 + v42
    v46 = v43 - v43
    v47 = v45 + v44
    v48 = v45 - v45
    v49 = v47 - v45
    v50 = v49 + v47
    v51 = v49 - v47
    v52 = v50 - v48
    v53 = v49 - v51
    v54 = v52 - v53
    v55 = v52 - v54
    v56 = v53 - v52
    v57 = v53 - v55
    v58 = v54 - v57
    v59 = v58 - v55
    v60 = v56 + v57
    v61 = v57 - v58
    v62 = v60 - v60
    v63 = v62 - v59
    v64 = v62 - v60
    v65 = v61 - v62
    return v65 + v64
f(6, 1)
