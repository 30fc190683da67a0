import { parseSegment } from '@herald/contracts/segment'
import type { EditorNode, EditorRoot } from './segment-editor.ts'

/** Gives the first mistake that the contracts' parser finds in a segment, with its path; undefined when there is none. */
export function problemOf(definition: unknown): { path: string; message: string } | undefined {
  const parsed = parseSegment(definition, '')
  return parsed.ok ? undefined : { path: parsed.path, message: parsed.message }
}

/**
 * Where a mistake is in the editor. `id` is the node, and `part` the wrong part when the node is a condition. `item` is the place of the wrong value
 * when the value of the condition is a list.
 */
export type MistakePlace = { id: string; part: 'field' | 'op' | 'value' | undefined; item: number | undefined }

/** A mistake that the parser or the API found, with its place in the editor. */
export type Mistake = MistakePlace & { message: string }

/**
 * Finds the node that a mistake's path names; the root when none fits. First steps that are the segment's place in the request, as in
 * `definition.and.1.value`, are dropped.
 */
export function findPlace(root: EditorRoot, path: string): MistakePlace | undefined {
  if (root === undefined) return undefined
  const steps = path.split('.').filter((step) => step !== '')
  for (let start = 0; start < steps.length; start++) {
    const place = walk(root, steps.slice(start))
    if (place !== undefined) return place
  }
  return { id: root.id, part: undefined, item: undefined }
}

function walk(node: EditorNode, steps: readonly string[]): MistakePlace | undefined {
  const [step, next] = steps
  if (step === undefined) return { id: node.id, part: undefined, item: undefined }
  if (node.kind === 'leaf') {
    if (step !== 'field' && step !== 'op' && step !== 'value') return undefined
    const item = step === 'value' && next !== undefined ? Number(next) : undefined
    return { id: node.id, part: step, item: Number.isInteger(item) ? item : undefined }
  }
  if (step !== node.kind) return undefined
  if (node.kind === 'not') return walk(node.child, steps.slice(1))
  if (next === undefined) return { id: node.id, part: undefined, item: undefined }
  const child = node.children[Number(next)]
  return child && walk(child, steps.slice(2))
}

/** Groups mistakes by the node that they belong to. */
export function placeMistakes(root: EditorRoot, mistakes: readonly { path: string; message: string }[]): Map<string, Mistake[]> {
  const byNode = new Map<string, Mistake[]>()
  for (const { path, message } of mistakes) {
    const place = findPlace(root, path)
    if (place === undefined) continue
    const those = byNode.get(place.id) ?? []
    if (!those.some((known) => known.message === message && known.part === place.part)) those.push({ ...place, message })
    byNode.set(place.id, those)
  }
  return byNode
}
