//! The edges of a bipartite graph by rows: for every node of one side, its neighbours on the other.
//!
//! Message passing sums over the edges of each target, so with the edges in rows every thread writes
//! rows of its own. The same edges in the rows of the other side serve the way back, where gradients
//! are summed over the edges of each source.

/// Edges grouped by the node at one of their ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Row r is the edges `start[r]..start[r + 1]`.
    pub start: Vec<u32>,
    /// The node at the other end of each edge.
    pub neighbour: Vec<u32>,
    /// The place of each edge in the list that the rows were made from.
    pub place: Vec<u32>,
}

impl Rows {
    /// Groups the edges (`own[e]`, `other[e]`) into one row for each of the `rows` nodes, keeping the
    /// order of the list inside a row. None if a number is out of range, or there are more edges than
    /// 32 bits count.
    pub fn new(rows: usize, others: usize, own: &[i64], other: &[i64]) -> Option<Rows> {
        let edges = u32::try_from(own.len()).ok()?;
        if other.len() != own.len() || rows > u32::MAX as usize || others > u32::MAX as usize {
            return None;
        }
        let inside =
            |nodes: &[i64], count: usize| nodes.iter().all(|&node| (0..count as i64).contains(&node));
        if !inside(own, rows) || !inside(other, others) {
            return None;
        }
        let mut start = vec![0u32; rows + 1];
        for &row in own {
            start[row as usize + 1] += 1;
        }
        for row in 0..rows {
            start[row + 1] += start[row];
        }
        if own.is_sorted() {
            let neighbour = other.iter().map(|&node| node as u32).collect();
            return Some(Rows { start, neighbour, place: (0..edges).collect() });
        }
        let mut next = start.clone();
        let (mut neighbour, mut place) = (vec![0; own.len()], vec![0; own.len()]);
        for (edge, (&row, &node)) in own.iter().zip(other).enumerate() {
            let slot = next[row as usize] as usize;
            next[row as usize] += 1;
            (neighbour[slot], place[slot]) = (node as u32, edge as u32);
        }
        Some(Rows { start, neighbour, place })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.neighbour.len()
    }

    /// The edges of a row.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    /// One number for each edge of the list, in the order of the rows.
    pub fn arrange<T: Copy>(&self, list: &[T]) -> Vec<T> {
        self.place.iter().map(|&edge| list[edge as usize]).collect()
    }

    /// Consecutive rows with about `work` edges and rows together in each part. It depends on the
    /// graph alone: what is summed part by part is the same with any number of threads.
    pub fn parts(&self, work: usize) -> Vec<std::ops::Range<usize>> {
        let mut parts = vec![];
        let (mut first, mut load) = (0, 0);
        for row in 0..self.len() {
            load += 1 + self.row(row).len();
            if load >= work {
                parts.push(first..row + 1);
                (first, load) = (row + 1, 0);
            }
        }
        if first < self.len() {
            parts.push(first..self.len());
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_grouped_by_their_node_in_the_order_of_the_list() {
        let rows = Rows::new(3, 2, &[2, 0, 2, 0], &[1, 0, 0, 1]).unwrap();
        assert_eq!(rows.start, [0, 2, 2, 4]);
        assert_eq!(rows.neighbour, [0, 1, 1, 0]);
        assert_eq!(rows.place, [1, 3, 0, 2]);
        assert_eq!(rows.arrange(&['a', 'b', 'c', 'd']), ['b', 'd', 'a', 'c']);
    }

    #[test]
    fn edges_to_nodes_that_do_not_exist_are_refused() {
        assert_eq!(Rows::new(2, 2, &[0, 2], &[0, 0]), None);
        assert_eq!(Rows::new(2, 2, &[0, 1], &[0, -1]), None);
        assert_eq!(Rows::new(2, 2, &[0, 1], &[0]), None);
    }

    #[test]
    fn parts_cover_every_row_once() {
        let rows = Rows::new(5, 1, &[0, 0, 0, 3, 3], &[0; 5]).unwrap();
        for work in 1..12 {
            let covered: Vec<usize> = rows.parts(work).into_iter().flatten().collect();
            assert_eq!(covered, [0, 1, 2, 3, 4], "work {work}");
        }
    }
}
