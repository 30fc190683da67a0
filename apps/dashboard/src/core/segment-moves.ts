import { findNode, parentOf, replaceNode, type EditorList, type EditorNode, type EditorRoot } from './segment-editor.ts'

/**
 * Gives the node that moves when the operator moves the node `id`: this node, or the `not` around it, because a `not` contains one node only. `list`:
 * the group that contains it; undefined without one.
 */
function standsAs(root: EditorRoot, id: string): { node: EditorNode; list: EditorList | undefined } | undefined {
  const node = findNode(root, id)
  if (node === undefined) return undefined
  const parent = parentOf(root, id)
  if (parent?.kind === 'not') return standsAs(root, parent.id)
  return { node, list: parent }
}

/** Gives the group into which a node beside this one can move: this node, or the group inside this `not`. Undefined when this is a condition. */
function listOf(node: EditorNode): EditorList | undefined {
  if (node.kind === 'not') return listOf(node.child)
  return node.kind === 'leaf' ? undefined : node
}

const put = (list: EditorList, children: readonly EditorNode[]): EditorList => ({ ...list, children })

/**
 * Moves a node one step up (-1) or down (1), as the operator sees it: past a condition, into a group beside it, or out of its group at the edge. A
 * node inside a `not` moves with it.
 */
export function moveNode(root: EditorRoot, id: string, step: -1 | 1): EditorRoot {
  const standing = standsAs(root, id)
  if (standing?.list === undefined) return root
  const { node, list } = standing
  const place = list.children.findIndex((child) => child.id === node.id)
  const neighbour = list.children[place + step]
  if (neighbour === undefined) return liftNode(root, id, step)
  const group = listOf(neighbour)
  const others = list.children.filter((child) => child.id !== node.id)
  if (group === undefined) return replaceNode(root, list.id, [put(list, others.toSpliced(place + step, 0, node))])
  const entered = put(group, step === 1 ? [node, ...group.children] : [...group.children, node])
  return replaceNode(replaceNode(root, node.id, []), group.id, [entered])
}

/** Moves a node out of its group, to the place before (-1) or after (1) the group. A node of the outermost group does not move. */
export function liftNode(root: EditorRoot, id: string, step: -1 | 1 = 1): EditorRoot {
  const standing = standsAs(root, id)
  if (standing?.list === undefined) return root
  const { node, list } = standing
  const outer = standsAs(root, list.id)
  if (outer?.list === undefined) return root
  const left = list.children.filter((child) => child.id !== node.id)
  const without = left.length === 0 ? [] : [withList(outer.node, list.id, left)]
  return replaceNode(root, outer.node.id, step === 1 ? [...without, node] : [node, ...without])
}

/** Replaces the children of a group, which may be inside a `not`. */
function withList(node: EditorNode, listId: string, children: readonly EditorNode[]): EditorNode {
  if (node.kind === 'leaf') return node
  if (node.kind === 'not') return { ...node, child: withList(node.child, listId, children) }
  return node.id === listId ? put(node, children) : node
}
