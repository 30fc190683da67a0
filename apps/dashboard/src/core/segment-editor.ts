/** A condition in the editor. An unfinished or wrong condition stays in the editor until the operator corrects it. */
export type EditorLeaf = { id: string; kind: 'leaf'; field: string; op: string; value: unknown }
export type EditorList = { id: string; kind: 'and' | 'or'; children: readonly EditorNode[] }
export type EditorNot = { id: string; kind: 'not'; child: EditorNode }
export type EditorNode = EditorLeaf | EditorList | EditorNot

/** A segment in the editor; undefined stands for `{}`, which means everyone. */
export type EditorRoot = EditorNode | undefined

/** Makes an id for each node of the tree, so that a row keeps the focus when it moves. */
export type NewId = () => string

/** Makes the ids `n1`, `n2` and so on. */
export function countIds(): NewId {
  let last = 0
  return () => `n${++last}`
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the definition of a segment as a tree. Gives `unreadable` when it has not the form of a segment; then the editor shows it as JSON only. */
export function readTree(definition: unknown, newId: NewId): EditorRoot | 'unreadable' {
  if (isObject(definition) && Object.keys(definition).length === 0) return undefined
  return readNode(definition, newId) ?? 'unreadable'
}

function readNode(written: unknown, newId: NewId): EditorNode | undefined {
  if (!isObject(written)) return undefined
  const keys = Object.keys(written)
  if (keys.length === 1 && 'not' in written) {
    const child = readNode(written['not'], newId)
    return child && { id: newId(), kind: 'not', child }
  }
  for (const kind of ['and', 'or'] as const) {
    if (keys.length !== 1 || !(kind in written)) continue
    const list = written[kind]
    if (!Array.isArray(list)) return undefined
    const children = list.map((child: unknown) => readNode(child, newId))
    return children.includes(undefined) ? undefined : { id: newId(), kind, children: children.filter((child) => child !== undefined) }
  }
  const { field, op, value } = written
  if (typeof field !== 'string' || typeof op !== 'string' || keys.some((key) => key !== 'field' && key !== 'op' && key !== 'value'))
    return undefined
  return { id: newId(), kind: 'leaf', field, op, value }
}

/** Gives the segment in the editor as it is saved. */
export const writeTree = (root: EditorRoot): Record<string, unknown> => (root === undefined ? {} : writeNode(root))

function writeNode(node: EditorNode): Record<string, unknown> {
  if (node.kind === 'leaf') {
    const { field, op, value } = node
    return value === undefined ? { field, op } : { field, op, value }
  }
  return node.kind === 'not' ? { not: writeNode(node.child) } : { [node.kind]: node.children.map(writeNode) }
}

export const childrenOf = (node: EditorNode): readonly EditorNode[] =>
  node.kind === 'leaf' ? [] : node.kind === 'not' ? [node.child] : node.children

/** Gives all conditions from top to bottom. */
export function leavesOf(root: EditorRoot): EditorLeaf[] {
  if (root === undefined) return []
  return root.kind === 'leaf' ? [root] : childrenOf(root).flatMap(leavesOf)
}

export function findNode(root: EditorRoot, id: string): EditorNode | undefined {
  if (root === undefined || root.id === id) return root
  for (const child of childrenOf(root)) {
    const found = findNode(child, id)
    if (found) return found
  }
  return undefined
}

/** Gives the group or the `not` that contains this node; undefined for the root. */
export function parentOf(root: EditorRoot, id: string): EditorList | EditorNot | undefined {
  if (root === undefined || root.kind === 'leaf') return undefined
  for (const child of childrenOf(root)) {
    if (child.id === id) return root
    const found = parentOf(child, id)
    if (found) return found
  }
  return undefined
}

/** Replaces a node by any number of nodes. A group that is left without nodes is removed. */
export function replaceNode(root: EditorRoot, id: string, replacement: readonly EditorNode[]): EditorRoot {
  return root === undefined ? undefined : replaceIn(root, id, replacement)[0]
}

function replaceIn(node: EditorNode, id: string, replacement: readonly EditorNode[]): readonly EditorNode[] {
  if (node.id === id) return replacement
  if (node.kind === 'leaf') return [node]
  if (node.kind === 'not') {
    const [child] = replaceIn(node.child, id, replacement)
    return child === undefined ? [] : child === node.child ? [node] : [{ ...node, child }]
  }
  const children = node.children.flatMap((child) => replaceIn(child, id, replacement))
  if (children.length === 0) return []
  const isSame = children.length === node.children.length && children.every((child, place) => child === node.children[place])
  return isSame ? [node] : [{ ...node, children }]
}

export const deleteNode = (root: EditorRoot, id: string): EditorRoot => replaceNode(root, id, [])

/** Changes parts of a condition. */
export function changeLeaf(root: EditorRoot, id: string, changes: Partial<Pick<EditorLeaf, 'field' | 'op' | 'value'>>): EditorRoot {
  const leaf = findNode(root, id)
  return leaf?.kind === 'leaf' ? replaceNode(root, id, [{ ...leaf, ...changes }]) : root
}

/** Makes a group "all of these" or "any of these". */
export function changeKind(root: EditorRoot, id: string, kind: 'and' | 'or'): EditorRoot {
  const list = findNode(root, id)
  return list?.kind === 'and' || list?.kind === 'or' ? replaceNode(root, id, [{ ...list, kind }]) : root
}

/**
 * Adds a node at the end of a group, the outermost one without `groupId`. When the segment is a single condition or a `not`, it and the added node
 * become the group "all of these".
 */
export function addNode(root: EditorRoot, groupId: string | undefined, added: EditorNode, newId: NewId): EditorRoot {
  const place = groupId === undefined ? root : findNode(root, groupId)
  if (place === undefined) return root === undefined ? added : root
  if (place.kind === 'and' || place.kind === 'or') return replaceNode(root, place.id, [{ ...place, children: [...place.children, added] }])
  return replaceNode(root, place.id, [{ id: newId(), kind: 'and', children: [place, added] }])
}

/** Puts a node into a new group. The new group has the other kind than the group around it, because a group of the same kind would change nothing. */
export function groupNode(root: EditorRoot, id: string, newId: NewId): EditorRoot {
  const node = findNode(root, id)
  if (node === undefined) return root
  const kind = parentOf(root, id)?.kind === 'or' ? 'and' : 'or'
  return replaceNode(root, id, [{ id: newId(), kind, children: [node] }])
}

/**
 * Says whether a group can be dissolved. Its nodes go into the group around it. Without such a group it must have a single node, which takes its
 * place.
 */
export function canUngroup(root: EditorRoot, id: string): boolean {
  const node = findNode(root, id)
  if (node?.kind !== 'and' && node?.kind !== 'or') return false
  const parent = parentOf(root, id)
  return node.children.length === 1 || parent?.kind === 'and' || parent?.kind === 'or'
}

/** Dissolves a group: its nodes take its place. */
export function ungroupNode(root: EditorRoot, id: string): EditorRoot {
  const node = findNode(root, id)
  return node !== undefined && canUngroup(root, id) ? replaceNode(root, id, childrenOf(node)) : root
}

/** Puts a node into a `not`, or takes it out of the `not` that it is in. */
export function negateNode(root: EditorRoot, id: string, newId: NewId): EditorRoot {
  const node = findNode(root, id)
  if (node === undefined) return root
  const parent = parentOf(root, id)
  if (parent?.kind === 'not') return replaceNode(root, parent.id, [node])
  if (node.kind === 'not') return replaceNode(root, id, [node.child])
  return replaceNode(root, id, [{ id: newId(), kind: 'not', child: node }])
}
