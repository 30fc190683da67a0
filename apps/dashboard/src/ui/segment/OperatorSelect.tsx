import { operatorsOf } from '@herald/contracts/segment'
import type { FieldType } from '@herald/contracts/segment-tree'
import type { EditorLeaf } from '../../core/segment-editor.ts'
import { wordOf } from '../../core/segment-fields.ts'
import { readRelative } from '../../core/segment-text.ts'
import { firstOfTag, valueFor } from '../../core/segment-values.ts'
import { controlClass } from '../TextInput.tsx'
import { useSegment, type ControlMarks } from './SegmentContext.ts'

const absent = 'exists:false'

type OperatorSelectProps = {
  leaf: EditorLeaf
  type: FieldType | undefined
  onChange: (changes: { op: string; value: unknown }) => void
  control: ControlMarks
}

/** Lets the operator choose one of the operators that the field's type has. `exists` is shown as two choices: known and not known. */
export function OperatorSelect({ leaf, type, onChange, control }: OperatorSelectProps) {
  const { op, value } = leaf
  const { tags } = useSegment()
  const tag = tags.find(({ name }) => `tags.${name}` === leaf.field)
  const known: readonly string[] = type === undefined ? [] : operatorsOf[type]
  const isAgo = type === 'date' && readRelative(value)?.sign === '-'
  const shown = op === 'exists' && value === false ? absent : op
  return (
    <select
      {...control}
      data-part="op"
      className={controlClass}
      aria-label="Operator"
      value={shown}
      onChange={({ target }) =>
        target.value === absent
          ? onChange({ op: 'exists', value: false })
          : onChange({
              op: target.value,
              value: target.value === 'exists' ? true : valueFor(type, target.value, op === 'exists' ? firstOfTag(tag) : value),
            })
      }
    >
      {!known.includes(op) && <option value={op}>{wordOf(op, type)} (not for this field)</option>}
      {known.map((name) => (
        <option key={name} value={name}>
          {wordOf(name, type, isAgo)}
        </option>
      ))}
      {known.includes('exists') && <option value={absent}>does not exist</option>}
    </select>
  )
}
