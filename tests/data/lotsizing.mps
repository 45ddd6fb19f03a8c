* lot sizing: 4 products, 10 periods, whole batches
NAME lotsizing
ROWS
 N obj
 E c0
 L c1
 E c2
 L c3
 E c4
 L c5
 E c6
 L c7
 E c8
 L c9
 E c10
 L c11
 E c12
 L c13
 E c14
 L c15
 E c16
 L c17
 E c18
 L c19
 E c20
 L c21
 E c22
 L c23
 E c24
 L c25
 E c26
 L c27
 E c28
 L c29
 E c30
 L c31
 E c32
 L c33
 E c34
 L c35
 E c36
 L c37
 E c38
 L c39
 E c40
 L c41
 E c42
 L c43
 E c44
 L c45
 E c46
 L c47
 E c48
 L c49
 E c50
 L c51
 E c52
 L c53
 E c54
 L c55
 E c56
 L c57
 E c58
 L c59
 E c60
 L c61
 E c62
 L c63
 E c64
 L c65
 E c66
 L c67
 E c68
 L c69
 E c70
 L c71
 E c72
 L c73
 E c74
 L c75
 E c76
 L c77
 E c78
 L c79
 L c80
 L c81
 L c82
 L c83
 L c84
 L c85
 L c86
 L c87
 L c88
 L c89
COLUMNS
 MARK 'MARKER' 'INTORG'
 setup0_0 obj 71
 setup0_0 c1 -9
 batch0_0 obj 5
 batch0_0 c0 5
 batch0_0 c1 1
 batch0_0 c80 1
 setup0_1 obj 77
 setup0_1 c3 -9
 batch0_1 obj 6
 batch0_1 c2 5
 batch0_1 c3 1
 batch0_1 c81 1
 setup0_2 obj 88
 setup0_2 c5 -9
 batch0_2 obj 5
 batch0_2 c4 5
 batch0_2 c5 1
 batch0_2 c82 1
 setup0_3 obj 63
 setup0_3 c7 -9
 batch0_3 obj 3
 batch0_3 c6 5
 batch0_3 c7 1
 batch0_3 c83 1
 setup0_4 obj 40
 setup0_4 c9 -9
 batch0_4 obj 3
 batch0_4 c8 5
 batch0_4 c9 1
 batch0_4 c84 1
 setup0_5 obj 79
 setup0_5 c11 -9
 batch0_5 obj 3
 batch0_5 c10 5
 batch0_5 c11 1
 batch0_5 c85 1
 setup0_6 obj 71
 setup0_6 c13 -9
 batch0_6 obj 3
 batch0_6 c12 5
 batch0_6 c13 1
 batch0_6 c86 1
 setup0_7 obj 50
 setup0_7 c15 -9
 batch0_7 obj 3
 batch0_7 c14 5
 batch0_7 c15 1
 batch0_7 c87 1
 setup0_8 obj 54
 setup0_8 c17 -9
 batch0_8 obj 6
 batch0_8 c16 5
 batch0_8 c17 1
 batch0_8 c88 1
 setup0_9 obj 50
 setup0_9 c19 -9
 batch0_9 obj 6
 batch0_9 c18 5
 batch0_9 c19 1
 batch0_9 c89 1
 setup1_0 obj 85
 setup1_0 c21 -9
 batch1_0 obj 4
 batch1_0 c20 5
 batch1_0 c21 1
 batch1_0 c80 1
 setup1_1 obj 47
 setup1_1 c23 -9
 batch1_1 obj 3
 batch1_1 c22 5
 batch1_1 c23 1
 batch1_1 c81 1
 setup1_2 obj 40
 setup1_2 c25 -9
 batch1_2 obj 5
 batch1_2 c24 5
 batch1_2 c25 1
 batch1_2 c82 1
 setup1_3 obj 81
 setup1_3 c27 -9
 batch1_3 obj 4
 batch1_3 c26 5
 batch1_3 c27 1
 batch1_3 c83 1
 setup1_4 obj 75
 setup1_4 c29 -9
 batch1_4 obj 3
 batch1_4 c28 5
 batch1_4 c29 1
 batch1_4 c84 1
 setup1_5 obj 78
 setup1_5 c31 -9
 batch1_5 obj 6
 batch1_5 c30 5
 batch1_5 c31 1
 batch1_5 c85 1
 setup1_6 obj 58
 setup1_6 c33 -9
 batch1_6 obj 5
 batch1_6 c32 5
 batch1_6 c33 1
 batch1_6 c86 1
 setup1_7 obj 49
 setup1_7 c35 -9
 batch1_7 obj 6
 batch1_7 c34 5
 batch1_7 c35 1
 batch1_7 c87 1
 setup1_8 obj 87
 setup1_8 c37 -9
 batch1_8 obj 6
 batch1_8 c36 5
 batch1_8 c37 1
 batch1_8 c88 1
 setup1_9 obj 66
 setup1_9 c39 -9
 batch1_9 obj 6
 batch1_9 c38 5
 batch1_9 c39 1
 batch1_9 c89 1
 setup2_0 obj 80
 setup2_0 c41 -9
 batch2_0 obj 6
 batch2_0 c40 5
 batch2_0 c41 1
 batch2_0 c80 1
 setup2_1 obj 44
 setup2_1 c43 -9
 batch2_1 obj 4
 batch2_1 c42 5
 batch2_1 c43 1
 batch2_1 c81 1
 setup2_2 obj 57
 setup2_2 c45 -9
 batch2_2 obj 6
 batch2_2 c44 5
 batch2_2 c45 1
 batch2_2 c82 1
 setup2_3 obj 56
 setup2_3 c47 -9
 batch2_3 obj 3
 batch2_3 c46 5
 batch2_3 c47 1
 batch2_3 c83 1
 setup2_4 obj 75
 setup2_4 c49 -9
 batch2_4 obj 6
 batch2_4 c48 5
 batch2_4 c49 1
 batch2_4 c84 1
 setup2_5 obj 90
 setup2_5 c51 -9
 batch2_5 obj 5
 batch2_5 c50 5
 batch2_5 c51 1
 batch2_5 c85 1
 setup2_6 obj 70
 setup2_6 c53 -9
 batch2_6 obj 6
 batch2_6 c52 5
 batch2_6 c53 1
 batch2_6 c86 1
 setup2_7 obj 42
 setup2_7 c55 -9
 batch2_7 obj 6
 batch2_7 c54 5
 batch2_7 c55 1
 batch2_7 c87 1
 setup2_8 obj 82
 setup2_8 c57 -9
 batch2_8 obj 3
 batch2_8 c56 5
 batch2_8 c57 1
 batch2_8 c88 1
 setup2_9 obj 72
 setup2_9 c59 -9
 batch2_9 obj 6
 batch2_9 c58 5
 batch2_9 c59 1
 batch2_9 c89 1
 setup3_0 obj 47
 setup3_0 c61 -9
 batch3_0 obj 6
 batch3_0 c60 5
 batch3_0 c61 1
 batch3_0 c80 1
 setup3_1 obj 90
 setup3_1 c63 -9
 batch3_1 obj 6
 batch3_1 c62 5
 batch3_1 c63 1
 batch3_1 c81 1
 setup3_2 obj 64
 setup3_2 c65 -9
 batch3_2 obj 5
 batch3_2 c64 5
 batch3_2 c65 1
 batch3_2 c82 1
 setup3_3 obj 60
 setup3_3 c67 -9
 batch3_3 obj 3
 batch3_3 c66 5
 batch3_3 c67 1
 batch3_3 c83 1
 setup3_4 obj 88
 setup3_4 c69 -9
 batch3_4 obj 5
 batch3_4 c68 5
 batch3_4 c69 1
 batch3_4 c84 1
 setup3_5 obj 44
 setup3_5 c71 -9
 batch3_5 obj 4
 batch3_5 c70 5
 batch3_5 c71 1
 batch3_5 c85 1
 setup3_6 obj 58
 setup3_6 c73 -9
 batch3_6 obj 6
 batch3_6 c72 5
 batch3_6 c73 1
 batch3_6 c86 1
 setup3_7 obj 73
 setup3_7 c75 -9
 batch3_7 obj 6
 batch3_7 c74 5
 batch3_7 c75 1
 batch3_7 c87 1
 setup3_8 obj 54
 setup3_8 c77 -9
 batch3_8 obj 4
 batch3_8 c76 5
 batch3_8 c77 1
 batch3_8 c88 1
 setup3_9 obj 54
 setup3_9 c79 -9
 batch3_9 obj 6
 batch3_9 c78 5
 batch3_9 c79 1
 batch3_9 c89 1
 MARK 'MARKER' 'INTEND'
 stock0_0 obj 3
 stock0_0 c0 -1
 stock0_0 c2 1
 stock0_1 obj 1
 stock0_1 c2 -1
 stock0_1 c4 1
 stock0_2 obj 3
 stock0_2 c4 -1
 stock0_2 c6 1
 stock0_3 obj 2
 stock0_3 c6 -1
 stock0_3 c8 1
 stock0_4 obj 1
 stock0_4 c8 -1
 stock0_4 c10 1
 stock0_5 obj 3
 stock0_5 c10 -1
 stock0_5 c12 1
 stock0_6 obj 1
 stock0_6 c12 -1
 stock0_6 c14 1
 stock0_7 obj 3
 stock0_7 c14 -1
 stock0_7 c16 1
 stock0_8 obj 2
 stock0_8 c16 -1
 stock0_8 c18 1
 stock0_9 obj 3
 stock0_9 c18 -1
 stock1_0 obj 2
 stock1_0 c20 -1
 stock1_0 c22 1
 stock1_1 obj 1
 stock1_1 c22 -1
 stock1_1 c24 1
 stock1_2 obj 2
 stock1_2 c24 -1
 stock1_2 c26 1
 stock1_3 obj 1
 stock1_3 c26 -1
 stock1_3 c28 1
 stock1_4 obj 3
 stock1_4 c28 -1
 stock1_4 c30 1
 stock1_5 obj 1
 stock1_5 c30 -1
 stock1_5 c32 1
 stock1_6 obj 1
 stock1_6 c32 -1
 stock1_6 c34 1
 stock1_7 obj 1
 stock1_7 c34 -1
 stock1_7 c36 1
 stock1_8 obj 2
 stock1_8 c36 -1
 stock1_8 c38 1
 stock1_9 obj 1
 stock1_9 c38 -1
 stock2_0 obj 1
 stock2_0 c40 -1
 stock2_0 c42 1
 stock2_1 obj 2
 stock2_1 c42 -1
 stock2_1 c44 1
 stock2_2 obj 2
 stock2_2 c44 -1
 stock2_2 c46 1
 stock2_3 obj 1
 stock2_3 c46 -1
 stock2_3 c48 1
 stock2_4 obj 1
 stock2_4 c48 -1
 stock2_4 c50 1
 stock2_5 obj 2
 stock2_5 c50 -1
 stock2_5 c52 1
 stock2_6 obj 2
 stock2_6 c52 -1
 stock2_6 c54 1
 stock2_7 obj 1
 stock2_7 c54 -1
 stock2_7 c56 1
 stock2_8 obj 3
 stock2_8 c56 -1
 stock2_8 c58 1
 stock2_9 obj 1
 stock2_9 c58 -1
 stock3_0 obj 1
 stock3_0 c60 -1
 stock3_0 c62 1
 stock3_1 obj 3
 stock3_1 c62 -1
 stock3_1 c64 1
 stock3_2 obj 2
 stock3_2 c64 -1
 stock3_2 c66 1
 stock3_3 obj 2
 stock3_3 c66 -1
 stock3_3 c68 1
 stock3_4 obj 2
 stock3_4 c68 -1
 stock3_4 c70 1
 stock3_5 obj 3
 stock3_5 c70 -1
 stock3_5 c72 1
 stock3_6 obj 3
 stock3_6 c72 -1
 stock3_6 c74 1
 stock3_7 obj 2
 stock3_7 c74 -1
 stock3_7 c76 1
 stock3_8 obj 3
 stock3_8 c76 -1
 stock3_8 c78 1
 stock3_9 obj 2
 stock3_9 c78 -1
RHS
 rhs c0 19
 rhs c2 10
 rhs c4 4
 rhs c6 12
 rhs c8 18
 rhs c10 5
 rhs c12 17
 rhs c14 17
 rhs c16 14
 rhs c18 19
 rhs c20 5
 rhs c22 13
 rhs c24 8
 rhs c26 11
 rhs c28 3
 rhs c30 16
 rhs c32 3
 rhs c34 15
 rhs c36 9
 rhs c38 15
 rhs c40 19
 rhs c42 18
 rhs c44 8
 rhs c46 5
 rhs c48 3
 rhs c50 7
 rhs c52 10
 rhs c54 11
 rhs c56 19
 rhs c58 10
 rhs c60 10
 rhs c62 10
 rhs c64 7
 rhs c66 19
 rhs c68 8
 rhs c70 17
 rhs c72 14
 rhs c74 14
 rhs c76 14
 rhs c78 12
 rhs c80 15
 rhs c81 15
 rhs c82 15
 rhs c83 15
 rhs c84 15
 rhs c85 15
 rhs c86 15
 rhs c87 15
 rhs c88 15
 rhs c89 15
BOUNDS
 BV bnd setup0_0
 BV bnd setup0_1
 BV bnd setup0_2
 BV bnd setup0_3
 BV bnd setup0_4
 BV bnd setup0_5
 BV bnd setup0_6
 BV bnd setup0_7
 BV bnd setup0_8
 BV bnd setup0_9
 BV bnd setup1_0
 BV bnd setup1_1
 BV bnd setup1_2
 BV bnd setup1_3
 BV bnd setup1_4
 BV bnd setup1_5
 BV bnd setup1_6
 BV bnd setup1_7
 BV bnd setup1_8
 BV bnd setup1_9
 BV bnd setup2_0
 BV bnd setup2_1
 BV bnd setup2_2
 BV bnd setup2_3
 BV bnd setup2_4
 BV bnd setup2_5
 BV bnd setup2_6
 BV bnd setup2_7
 BV bnd setup2_8
 BV bnd setup2_9
 BV bnd setup3_0
 BV bnd setup3_1
 BV bnd setup3_2
 BV bnd setup3_3
 BV bnd setup3_4
 BV bnd setup3_5
 BV bnd setup3_6
 BV bnd setup3_7
 BV bnd setup3_8
 BV bnd setup3_9
 LO bnd batch0_0 0
 UP bnd batch0_0 9
 LO bnd batch0_1 0
 UP bnd batch0_1 9
 LO bnd batch0_2 0
 UP bnd batch0_2 9
 LO bnd batch0_3 0
 UP bnd batch0_3 9
 LO bnd batch0_4 0
 UP bnd batch0_4 9
 LO bnd batch0_5 0
 UP bnd batch0_5 9
 LO bnd batch0_6 0
 UP bnd batch0_6 9
 LO bnd batch0_7 0
 UP bnd batch0_7 9
 LO bnd batch0_8 0
 UP bnd batch0_8 9
 LO bnd batch0_9 0
 UP bnd batch0_9 9
 LO bnd batch1_0 0
 UP bnd batch1_0 9
 LO bnd batch1_1 0
 UP bnd batch1_1 9
 LO bnd batch1_2 0
 UP bnd batch1_2 9
 LO bnd batch1_3 0
 UP bnd batch1_3 9
 LO bnd batch1_4 0
 UP bnd batch1_4 9
 LO bnd batch1_5 0
 UP bnd batch1_5 9
 LO bnd batch1_6 0
 UP bnd batch1_6 9
 LO bnd batch1_7 0
 UP bnd batch1_7 9
 LO bnd batch1_8 0
 UP bnd batch1_8 9
 LO bnd batch1_9 0
 UP bnd batch1_9 9
 LO bnd batch2_0 0
 UP bnd batch2_0 9
 LO bnd batch2_1 0
 UP bnd batch2_1 9
 LO bnd batch2_2 0
 UP bnd batch2_2 9
 LO bnd batch2_3 0
 UP bnd batch2_3 9
 LO bnd batch2_4 0
 UP bnd batch2_4 9
 LO bnd batch2_5 0
 UP bnd batch2_5 9
 LO bnd batch2_6 0
 UP bnd batch2_6 9
 LO bnd batch2_7 0
 UP bnd batch2_7 9
 LO bnd batch2_8 0
 UP bnd batch2_8 9
 LO bnd batch2_9 0
 UP bnd batch2_9 9
 LO bnd batch3_0 0
 UP bnd batch3_0 9
 LO bnd batch3_1 0
 UP bnd batch3_1 9
 LO bnd batch3_2 0
 UP bnd batch3_2 9
 LO bnd batch3_3 0
 UP bnd batch3_3 9
 LO bnd batch3_4 0
 UP bnd batch3_4 9
 LO bnd batch3_5 0
 UP bnd batch3_5 9
 LO bnd batch3_6 0
 UP bnd batch3_6 9
 LO bnd batch3_7 0
 UP bnd batch3_7 9
 LO bnd batch3_8 0
 UP bnd batch3_8 9
 LO bnd batch3_9 0
 UP bnd batch3_9 9
ENDATA
