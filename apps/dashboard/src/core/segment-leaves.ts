import type { ExplainedLeaf } from '@herald/contracts/explain'

/** A segment as a tree of the leaves (conditions) in a trace. `holds` says whether a node is true for the device. */
export type SegmentBranch =
  | { is: 'leaf'; path: string; leaf: ExplainedLeaf; holds: boolean }
  | { is: 'and' | 'or' | 'not'; path: string; nodes: SegmentBranch[]; holds: boolean }

type Group = 'and' | 'or' | 'not'
const isGroup = (word: string | undefined): word is Group => word === 'and' || word === 'or' || word === 'not'

/**
 * Builds the tree from the paths of the leaves of a trace, such as `segment.and.0.not`. A trace has every leaf, so the paths show all groups.
 * Undefined without leaves: the segment means everyone.
 */
export const treeOfLeaves = (leaves: readonly ExplainedLeaf[]): SegmentBranch | undefined =>
  leaves.length === 0 ? undefined : branchOf(leaves, 'segment')

function branchOf(leaves: readonly ExplainedLeaf[], path: string): SegmentBranch {
  const [first] = leaves
  const word = first === undefined || first.path === path ? undefined : first.path.slice(path.length + 1).split('.')[0]
  if (first === undefined || !isGroup(word)) return { is: 'leaf', path, leaf: first ?? nothing(path), holds: first?.matched ?? false }
  const groupPath = `${path}.${word}`
  const nodes = word === 'not' ? [branchOf(leaves, groupPath)] : byPlace(leaves, groupPath)
  return { is: word, path: groupPath, nodes, holds: holdsOf(word, nodes) }
}

function byPlace(leaves: readonly ExplainedLeaf[], groupPath: string): SegmentBranch[] {
  const places = Map.groupBy(leaves, ({ path }) => Number(path.slice(groupPath.length + 1).split('.')[0]))
  return [...places].toSorted(([one], [other]) => one - other).map(([place, below]) => branchOf(below, `${groupPath}.${place}`))
}

function holdsOf(group: Group, nodes: readonly SegmentBranch[]): boolean {
  if (group === 'not') return !nodes[0]?.holds
  return group === 'and' ? nodes.every(({ holds }) => holds) : nodes.some(({ holds }) => holds)
}

const nothing = (path: string): ExplainedLeaf => ({ path, field: '', op: '', wanted: null, actual: null, matched: false })

/** Writes the value of a leaf. A text is in quotes, so that `"7"` and `7` look different; a missing value is "Not set". */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'Not set'
  if (Array.isArray(value))
    return value.length > 10 ? `${JSON.stringify(value.slice(0, 10)).slice(0, -1)}, and ${value.length - 10} more]` : JSON.stringify(value)
  return JSON.stringify(value)
}
