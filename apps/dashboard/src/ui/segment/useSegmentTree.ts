import type { SegmentDefinition } from '@herald/contracts/segment-definition'
import { useState } from 'react'
import { countIds, readTree, writeTree, type EditorRoot, type NewId } from '../../core/segment-editor.ts'
import { problemOf } from '../../core/segment-mistakes.ts'

/** A mistake at a path as the API names it, such as `definition.and.1.value`. The path may begin with the place of the segment in the request. */
export type SegmentDetail = { path: string; message: string }

export type SegmentBuilderProps = {
  /** Both null and {} mean everyone. */
  value: SegmentDefinition | null
  /** Called at each change, also while a condition is unfinished. `problem` is the first mistake that the contracts' parser finds. */
  onChange: (value: SegmentDefinition, problem: SegmentDetail | undefined) => void
  appId: string
  /** The mistakes that the API found in the segment, which are shown at the conditions until the next change. */
  details?: readonly SegmentDetail[]
}

type Held = { shown: unknown; text: string; root: EditorRoot | 'unreadable' }

const hold = (shown: unknown, newId: NewId): Held => ({ shown, text: JSON.stringify(shown), root: readTree(shown, newId) })

/**
 * Keeps a segment as a tree whose nodes keep their ids while it is edited. A value from outside replaces the tree only when it is another segment.
 */
export function useSegmentTree(value: SegmentBuilderProps['value'], onChange: SegmentBuilderProps['onChange']) {
  const [newId] = useState(() => countIds())
  const given = value ?? {}
  const [held, setHeld] = useState(() => hold(given, newId))
  let now = held
  if (given !== held.shown) {
    const isSame = JSON.stringify(given) === held.text
    now = isSame ? { ...held, shown: given } : hold(given, newId)
    setHeld(now)
  }

  /** Takes over a changed tree and calls `onChange` with its segment. */
  function change(root: EditorRoot): void {
    const definition = writeTree(root)
    setHeld({ shown: definition, text: JSON.stringify(definition), root })
    onChange(definition, problemOf(definition))
  }

  /** Takes over a segment that was edited as JSON. */
  function replace(definition: Record<string, unknown>): void {
    setHeld(hold(definition, newId))
    onChange(definition, problemOf(definition))
  }

  return { root: now.root, definition: now.shown as Record<string, unknown>, newId, change, replace }
}
