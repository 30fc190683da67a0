import { useState } from 'react'
import { countIds, readTree, writeTree, type EditorRoot, type NewId } from '../../core/segment-editor.ts'
import { problemOf } from '../../core/segment-mistakes.ts'
import type { SegmentBuilderProps } from './SegmentBuilder.tsx'

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
