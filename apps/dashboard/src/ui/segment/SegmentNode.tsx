import type { EditorLeaf, EditorList, EditorNode } from '../../core/segment-editor.ts'
import { SegmentGroup } from './SegmentGroup.tsx'
import { SegmentLeaf } from './SegmentLeaf.tsx'

/** Each `not` around a node is shown as a word before it; the mistakes at it belong to the same row. */
function unwrap(node: EditorNode): { inner: EditorLeaf | EditorList; nots: string[] } {
  const nots: string[] = []
  let inner = node
  while (inner.kind === 'not') {
    nots.push(inner.id)
    inner = inner.child
  }
  return { inner, nots }
}

/** One node of the tree: a condition, or a group with those in it. */
export function SegmentNode({ node, isRoot = false }: { node: EditorNode; isRoot?: boolean }) {
  const { inner, nots } = unwrap(node)
  return inner.kind === 'leaf' ? <SegmentLeaf leaf={inner} nots={nots} /> : <SegmentGroup list={inner} nots={nots} isRoot={isRoot} />
}
