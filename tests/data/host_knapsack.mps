* SCIP STATISTICS
*   Problem name     : knapsack
*   Variables        : 60 (60 binary, 0 integer, 0 implicit integer, 0 continuous)
*   Constraints      : 5
NAME          knapsack
OBJSENSE
  MAX
ROWS
 N  Obj 
 L  c1 
 L  c2 
 L  c3 
 L  c4 
 L  c5 
COLUMNS
    INTSTART  'MARKER'                            'INTORG'                           
    x0        Obj                             20  c1                              44 
    x0        c5                              43  c4                              30 
    x0        c3                              17  c2                              57 
    x1        Obj                             27  c1                              43 
    x1        c5                               8  c4                              30 
    x1        c3                              52  c2                              21 
    x2        c5                              36  c4                              38 
    x2        c2                              42  c1                              44 
    x2        c3                              40  Obj                             26 
    x3        Obj                             58  c5                              21 
    x3        c2                              14  c1                              47 
    x3        c4                              54  c3                              34 
    x4        c4                              25  c3                              34 
    x4        c2                              43  Obj                             41 
    x4        c1                              52  c5                              16 
    x5        Obj                             57  c1                               6 
    x5        c2                              23  c4                              57 
    x5        c3                              40  c5                              21 
    x6        c2                               7  c4                              44 
    x6        Obj                             24  c5                              36 
    x6        c1                              15  c3                              52 
    x7        c2                              48  c4                              39 
    x7        c5                               8  c1                              26 
    x7        Obj                             24  c3                              17 
    x8        c4                              42  Obj                             57 
    x8        c3                              41  c1                              39 
    x8        c5                              43  c2                              40 
    x9        Obj                             41  c2                              36 
    x9        c1                              54  c5                              35 
    x9        c3                              18  c4                              53 
    x10       c1                              18  Obj                             58 
    x10       c3                              54  c4                              19 
    x10       c5                              37  c2                              36 
    x11       c3                              43  c1                              37 
    x11       c4                              46  c5                              49 
    x11       c2                              40  Obj                             26 
    x12       c4                              28  c3                              38 
    x12       c5                              18  c1                               5 
    x12       c2                              48  Obj                             27 
    x13       c1                              28  c5                              50 
    x13       c4                              18  c3                              39 
    x13       c2                               7  Obj                             20 
    x14       c2                              23  c1                              53 
    x14       c5                              39  c3                              46 
    x14       Obj                             46  c4                              16 
    x15       c2                              43  c5                              38 
    x15       c3                               6  Obj                             23 
    x15       c1                              27  c4                              22 
    x16       Obj                             33  c1                              56 
    x16       c3                              25  c5                              47 
    x16       c2                              14  c4                              36 
    x17       c3                              50  c2                              42 
    x17       c4                               5  c1                              34 
    x17       c5                              13  Obj                             35 
    x18       c3                              28  Obj                             29 
    x18       c4                              35  c1                              14 
    x18       c5                              42  c2                              21 
    x19       c1                              49  c4                              20 
    x19       Obj                             56  c3                              12 
    x19       c2                              57  c5                              28 
    x20       c4                              13  Obj                             34 
    x20       c5                              24  c3                              55 
    x20       c2                              44  c1                              33 
    x21       c1                              19  c4                              14 
    x21       c3                              51  c2                              35 
    x21       c5                              30  Obj                             45 
    x22       c3                              53  c4                              23 
    x22       c2                              30  Obj                             48 
    x22       c5                              46  c1                               7 
    x23       c4                              40  c5                              19 
    x23       Obj                             43  c2                              29 
    x23       c1                              50  c3                               8 
    x24       Obj                             30  c1                              42 
    x24       c2                              32  c5                              55 
    x24       c4                              12  c3                              22 
    x25       Obj                             50  c1                              36 
    x25       c4                              45  c3                              42 
    x25       c5                              48  c2                              39 
    x26       c2                              50  c3                              15 
    x26       c4                              33  c1                              32 
    x26       c5                              51  Obj                             21 
    x27       c3                              47  c2                              12 
    x27       Obj                             25  c4                              29 
    x27       c1                              30  c5                              11 
    x28       c5                              34  c1                              30 
    x28       c4                              33  Obj                             21 
    x28       c3                              32  c2                              31 
    x29       c4                              45  c5                              14 
    x29       Obj                             50  c2                              54 
    x29       c1                              32  c3                              23 
    x30       c2                              28  c3                              20 
    x30       c4                              12  c1                              36 
    x30       Obj                             30  c5                              57 
    x31       c2                               6  c1                              42 
    x31       c3                              23  c5                              57 
    x31       Obj                             43  c4                              40 
    x32       Obj                             48  c5                              14 
    x32       c3                              32  c4                              23 
    x32       c1                              50  c2                              41 
    x33       Obj                             45  c5                              34 
    x33       c1                               7  c4                              14 
    x33       c2                              27  c3                              47 
    x34       c1                              19  Obj                             34 
    x34       c2                              17  c5                              11 
    x34       c3                              15  c4                              13 
    x35       c1                              33  c5                              51 
    x35       c2                              11  c3                              42 
    x35       Obj                             56  c4                              20 
    x36       c1                              49  c5                              48 
    x36       c3                              22  c2                               9 
    x36       Obj                             29  c4                              35 
    x37       c2                              11  c4                               5 
    x37       c5                              55  Obj                             35 
    x37       c3                               8  c1                              14 
    x38       c4                              36  c5                              19 
    x38       c3                              53  c2                              17 
    x38       c1                              34  Obj                             33 
    x39       c4                              22  c3                              51 
    x39       c5                              46  c1                              56 
    x39       Obj                             23  c2                              27 
    x40       c2                              41  Obj                             46 
    x40       c1                              27  c3                              55 
    x40       c4                              16  c5                              30 
    x41       Obj                             20  c1                              53 
    x41       c3                              12  c4                              18 
    x41       c5                              24  c2                               6 
    x42       c2                              28  Obj                             27 
    x42       c1                              28  c4                              28 
    x42       c3                              28  c5                              28 
    x43       c5                              42  c4                              46 
    x43       c3                              50  c1                               5 
    x43       c2                              54  Obj                             26 
    x44       c4                              19  c3                              25 
    x44       c5                              13  Obj                             58 
    x44       c1                              37  c2                              31 
    x45       c4                              53  c5                              47 
    x45       c3                               6  c2                              12 
    x45       Obj                             41  c1                              18 
    x46       c5                              38  Obj                             57 
    x46       c3                              46  c2                              50 
    x46       c4                              42  c1                              54 
    x47       c3                              39  c2                              39 
    x47       Obj                             24  c1                              39 
    x47       c5                              39  c4                              39 
    x48       c4                              44  c2                              32 
    x48       c5                              50  c3                              38 
    x48       Obj                             24  c1                              26 
    x49       c2                              29  c1                              15 
    x49       c5                              18  c3                              43 
    x49       Obj                             57  c4                              57 
    x50       c5                              49  c2                              30 
    x50       c4                              25  c1                               6 
    x50       c3                              54  Obj                             41 
    x51       c1                              52  c2                              35 
    x51       c4                              54  c5                              37 
    x51       Obj                             58  c3                              18 
    x52       c2                              44  c3                              41 
    x52       c4                              38  c1                              47 
    x52       Obj                             26  c5                              35 
    x53       c4                              30  c2                              57 
    x53       c3                              17  c5                              43 
    x53       Obj                             27  c1                              44 
    x54       c5                               8  Obj                             20 
    x54       c2                              21  c1                              43 
    x54       c4                              30  c3                              52 
    x55       c4                              38  Obj                             46 
    x55       c1                              44  c3                              40 
    x55       c5                              36  c2                              42 
    x56       c3                              34  Obj                             23 
    x56       c4                              54  c1                              47 
    x56       c2                              14  c5                              21 
    x57       c5                              16  c1                              52 
    x57       c2                              43  c3                              34 
    x57       Obj                             33  c4                              25 
    x58       c1                               6  c2                              23 
    x58       c5                              21  Obj                             35 
    x58       c3                              40  c4                              57 
    x59       c4                              44  c3                              52 
    x59       c2                               7  c1                              15 
    x59       Obj                             29  c5                              36 
    INTEND    'MARKER'                            'INTEND'                           
RHS
    RHS       c1                            1000  c2                             925 
    RHS       c3                            1035  c4                             960 
    RHS       c5                             991 
BOUNDS
 BV Bound     x0                                 
 BV Bound     x1                                 
 BV Bound     x2                                 
 BV Bound     x3                                 
 BV Bound     x4                                 
 BV Bound     x5                                 
 BV Bound     x6                                 
 BV Bound     x7                                 
 BV Bound     x8                                 
 BV Bound     x9                                 
 BV Bound     x10                                
 BV Bound     x11                                
 BV Bound     x12                                
 BV Bound     x13                                
 BV Bound     x14                                
 BV Bound     x15                                
 BV Bound     x16                                
 BV Bound     x17                                
 BV Bound     x18                                
 BV Bound     x19                                
 BV Bound     x20                                
 BV Bound     x21                                
 BV Bound     x22                                
 BV Bound     x23                                
 BV Bound     x24                                
 BV Bound     x25                                
 BV Bound     x26                                
 BV Bound     x27                                
 BV Bound     x28                                
 BV Bound     x29                                
 BV Bound     x30                                
 BV Bound     x31                                
 BV Bound     x32                                
 BV Bound     x33                                
 BV Bound     x34                                
 BV Bound     x35                                
 BV Bound     x36                                
 BV Bound     x37                                
 BV Bound     x38                                
 BV Bound     x39                                
 BV Bound     x40                                
 BV Bound     x41                                
 BV Bound     x42                                
 BV Bound     x43                                
 BV Bound     x44                                
 BV Bound     x45                                
 BV Bound     x46                                
 BV Bound     x47                                
 BV Bound     x48                                
 BV Bound     x49                                
 BV Bound     x50                                
 BV Bound     x51                                
 BV Bound     x52                                
 BV Bound     x53                                
 BV Bound     x54                                
 BV Bound     x55                                
 BV Bound     x56                                
 BV Bound     x57                                
 BV Bound     x58                                
 BV Bound     x59                                
ENDATA