//! The assignment problem of a kernel: nodes with alternatives, and the cost of each choice.

/// A price in quarters of a cycle, the unit of [`Cost`](crate::plan::Cost).
pub type Price = u64;

/// The price of an infeasible alternative, pair or assignment.
///
/// A sum of prices that overflows is also infeasible.
pub const INFEASIBLE: Price = Price::MAX;

/// A node of a [`Graph`], identified by its position in program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CostTerm {
    pub(super) price: Price,
    pub(super) conversions: u32,
}

/// A list of costs, with one cost for each alternative of a node, each pair of alternatives of an edge, or each
/// variant of a shared term.
#[derive(Clone, Debug, Default)]
pub(super) struct CostTerms {
    pub(super) terms: Vec<CostTerm>,
}

impl CostTerms {
    fn new(prices: Vec<(Price, u32)>) -> CostTerms {
        let term = |(price, conversions)| CostTerm { price, conversions };
        CostTerms {
            terms: prices.into_iter().map(term).collect(),
        }
    }
}

/// An edge with one cost for each pair of alternatives, in row-major order: alternatives of `b` vary fastest.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) a: NodeId,
    pub(super) b: NodeId,
    pub(super) terms: CostTerms,
}

/// A cost that is paid once if at least one member requests it.
#[derive(Clone, Debug)]
pub(super) struct SharedTerm {
    /// The node whose chosen alternative is used as the index into `terms`. `None` if `terms` has one entry.
    pub(super) of: Option<NodeId>,
    pub(super) terms: CostTerms,
    /// The nodes that may request the term. Each node has one flag per alternative, which is true if the
    /// alternative requests the term.
    pub(super) members: Vec<(NodeId, Vec<bool>)>,
}

/// An assignment problem: nodes with alternatives, and the price of each choice.
///
/// An assignment chooses one alternative for each node. Its cost is the sum of
/// - the price of each node's alternative;
/// - the price of each edge, a conversion between the alternatives of two nodes;
/// - the price of each shared term that at least one member requests, e.g. a conversion with several users.
///
/// ```
/// use linear_layout::assign::{Graph, solve};
/// // A load in layout 0 or 1, and two operations that are cheaper in layout 1; a conversion costs 40.
/// let convert = vec![(0, 0), (40, 1), (40, 1), (0, 0)];
/// let mut graph = Graph::new();
/// let load = graph.node(vec![(100, 0), (130, 0)]);
/// let first = graph.node(vec![(50, 0), (10, 0)]);
/// let second = graph.node(vec![(50, 0), (20, 0)]);
/// graph.edge(load, first, convert.clone());
/// graph.edge(first, second, convert);
/// assert_eq!(graph.price(&[0, 0, 0]), (200, 0));
/// assert_eq!(graph.price(&[0, 1, 1]), (170, 1));
/// // The optimum loads in layout 1.
/// let best = solve(&graph, &[0, 0, 0]);
/// assert_eq!((best.choice, best.price, best.bound), (vec![1, 1, 1], 160, 160));
/// ```
/// # Units
/// Prices count quarters of a cycle, weighted by execution counts.
/// # Panics
/// A method panics if the number of prices or flags does not match the alternatives, or if the graph has no node with
/// the index of a [`NodeId`] argument.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<CostTerms>,
    edges: Vec<Edge>,
    shared: Vec<SharedTerm>,
}

impl Graph {
    /// Returns a graph without nodes.
    #[must_use]
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Adds a node. Nodes must be added in program order. `prices` has one pair (price, number of conversions) for
    /// each alternative.
    ///
    /// # Panics
    /// Panics if there is no alternative, or more than 2^32 nodes.
    pub fn node(&mut self, prices: Vec<(Price, u32)>) -> NodeId {
        assert!(!prices.is_empty(), "a node without alternatives");
        let id = NodeId(number(self.nodes.len()));
        self.nodes.push(CostTerms::new(prices));
        id
    }

    /// Adds an edge. `prices` has one pair (price, number of conversions) for each pair of alternatives.
    ///
    /// The prices of parallel edges are added. If `a` and `b` are the same node, only the prices of pairs of equal
    /// alternatives are used.
    ///
    /// # Shape
    /// `prices` is a row-major matrix: one row for each alternative of `a`, one column for each alternative of `b`.
    /// # Panics
    /// Panics if `prices` does not have one entry for each pair.
    pub fn edge(&mut self, a: NodeId, b: NodeId, prices: Vec<(Price, u32)>) {
        let pairs = self.alternatives(a) * self.alternatives(b);
        assert_eq!(prices.len(), pairs, "prices for each pair");
        let terms = CostTerms::new(prices);
        self.edges.push(Edge { a, b, terms });
    }

    /// Adds a cost that is paid once if at least one member's alternative has the flag `true`, e.g. address arithmetic
    /// that is rematerialised for both a pointer and a mask.
    ///
    /// # Panics
    /// Panics if a member does not have one flag for each alternative.
    pub fn shared(&mut self, price: Price, conversions: u32, members: Vec<(NodeId, Vec<bool>)>) {
        self.share(None, vec![(price, conversions)], members);
    }

    /// Adds the price of copying the result of node `of` to another layout. `prices` has one pair (price, number of
    /// conversions) for each alternative of `of`. The copy is paid once if the alternative of at least one member
    /// has the flag `true`.
    ///
    /// ```
    /// use linear_layout::assign::Graph;
    /// let mut graph = Graph::new();
    /// let load = graph.node(vec![(0, 0), (0, 0)]);
    /// let users = [(); 3].map(|()| graph.node(vec![(0, 0), (0, 0)]));
    /// // A copy of the loaded value in layout 1, which is free if the load is in layout 1.
    /// let members = users.map(|user| (user, vec![false, true])).to_vec();
    /// graph.copy(load, vec![(40, 1), (0, 0)], members);
    /// assert_eq!(graph.price(&[0, 1, 1, 1]), (40, 1));
    /// assert_eq!(graph.price(&[1, 1, 1, 1]), (0, 0));
    /// ```
    /// # Panics
    /// Panics if there is not one price for each alternative of `of`, or one flag for each alternative of a member.
    pub fn copy(
        &mut self,
        of: NodeId,
        prices: Vec<(Price, u32)>,
        members: Vec<(NodeId, Vec<bool>)>,
    ) {
        assert_eq!(
            prices.len(),
            self.alternatives(of),
            "prices for each layout"
        );
        self.share(Some(of), prices, members);
    }

    fn share(
        &mut self,
        of: Option<NodeId>,
        prices: Vec<(Price, u32)>,
        members: Vec<(NodeId, Vec<bool>)>,
    ) {
        for (node, asks) in &members {
            assert_eq!(asks.len(), self.alternatives(*node), "flags of a member");
        }
        let terms = CostTerms::new(prices);
        self.shared.push(SharedTerm { of, terms, members });
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the nodes in program order.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..number(self.nodes.len())).map(NodeId)
    }

    pub(crate) fn alternatives(&self, node: NodeId) -> usize {
        self.nodes[node.index()].terms.len()
    }

    /// Returns the exact price and the number of conversions of an assignment, with shared terms paid once.
    ///
    /// An infeasible assignment costs [`INFEASIBLE`].
    ///
    /// # Panics
    /// Panics if there is not one alternative for each node.
    #[must_use]
    pub fn price(&self, choice: &[u32]) -> (Price, u32) {
        assert_eq!(
            choice.len(),
            self.nodes.len(),
            "an alternative for each node"
        );
        self.paid(choice)
            .fold((0, 0), |(price, conversions), (terms, at)| {
                let term = terms.terms[at];
                let price = price.saturating_add(term.price);
                (price, conversions.saturating_add(term.conversions))
            })
    }

    /// Returns the costs that `choice` pays. Each item is a list of cost terms, and the index of the term in this
    /// list that is paid.
    fn paid<'a>(&'a self, choice: &'a [u32]) -> impl Iterator<Item = (&'a CostTerms, usize)> {
        let of = |node: NodeId| choice[node.index()] as usize;
        let nodes = self.nodes.iter().zip(choice);
        let nodes = nodes.map(|(terms, &at)| (terms, at as usize));
        let edges = self.edges.iter().map(move |edge| {
            let at = of(edge.a) * self.alternatives(edge.b) + of(edge.b);
            (&edge.terms, at)
        });
        let asked = move |shared: &&SharedTerm| {
            let mut members = shared.members.iter();
            members.any(|(node, asks)| asks[of(*node)])
        };
        let shared = self.shared.iter().filter(asked);
        let shared = shared.map(move |shared| (&shared.terms, shared.of.map_or(0, of)));
        nodes.chain(edges).chain(shared)
    }

    /// Makes all alternatives of a node infeasible except for `alternative`.
    pub(super) fn force(&mut self, node: NodeId, alternative: u32) {
        let terms = &mut self.nodes[node.index()].terms;
        assert!((alternative as usize) < terms.len(), "no such alternative");
        for (at, term) in (0..).zip(terms) {
            if at != alternative {
                term.price = INFEASIBLE;
            }
        }
    }

    pub(super) fn nodes(&self) -> &[CostTerms] {
        &self.nodes
    }

    pub(super) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub(super) fn shared_terms(&self) -> &[SharedTerm] {
        &self.shared
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 parts of a graph")
}
