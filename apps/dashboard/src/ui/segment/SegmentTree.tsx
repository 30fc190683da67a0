import { Plus } from 'lucide-react'
import type { EditorRoot } from '../../core/segment-editor.ts'
import { Button } from '../Button.tsx'
import { useSegment } from './SegmentContext.ts'
import { SegmentNode } from './SegmentNode.tsx'

/** Shows the conditions of a segment, and the buttons that add a condition or a group. */
export function SegmentTree({ root, onShowJson }: { root: EditorRoot | 'unreadable'; onShowJson: () => void }) {
  const { addLeaf, addGroup } = useSegment()
  if (root === 'unreadable') {
    return (
      <p>
        This has no form that conditions can show.{' '}
        <Button variant="secondary" small onClick={onShowJson}>
          Mend it as JSON
        </Button>
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      {root === undefined ? (
        <p className="text-muted">Everyone who can be reached. Add a condition to choose some of them.</p>
      ) : (
        <ul className="flex flex-col gap-2" aria-label="Conditions">
          <SegmentNode node={root} isRoot />
        </ul>
      )}
      <div className="flex flex-wrap gap-2" data-node="add">
        <Button variant="secondary" small icon={<Plus size={14} aria-hidden />} data-part="field" onClick={() => addLeaf()}>
          Add a condition
        </Button>
        {root !== undefined && (
          <Button variant="quiet" small icon={<Plus size={14} aria-hidden />} onClick={() => addGroup()}>
            Add a group
          </Button>
        )}
      </div>
      <p className="text-muted text-xs">
        Keys inside a condition: Alt ↑ and Alt ↓ move it, Alt → puts it into a group, Alt ← takes it out of its group.
      </p>
    </div>
  )
}
