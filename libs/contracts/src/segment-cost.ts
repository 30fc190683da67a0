import { leavesOf } from './segment-match.ts'
import type { SegmentLeaf, SegmentNode } from './segment-tree.ts'

export const costOf = (node: SegmentNode): number => leavesOf(node).reduce((sum, leaf) => sum + costOfLeaf(leaf), 0)

function costOfLeaf({ field }: SegmentLeaf): number {
  return field.type === 'version' ? 10 : 1
}
