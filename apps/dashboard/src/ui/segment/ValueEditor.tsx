import type { FieldType } from '@herald/contracts/segment-tree'
import type { EditorLeaf } from '../../core/segment-editor.ts'
import { isList, kindOf } from '../../core/segment-values.ts'
import { Button } from '../Button.tsx'
import { DateValue } from './DateValue.tsx'
import { ListValue } from './ListValue.tsx'
import { PlatformValue } from './PlatformValue.tsx'
import { SingleValue } from './SingleValue.tsx'
import { TagKindSelect } from './TagKindSelect.tsx'

/** The HTML attributes that connect a control with its mistakes. */
export type ControlMarks = { 'aria-invalid'?: boolean | undefined; 'aria-describedby'?: string | undefined }

export type ValueProps = { value: unknown; onChange: (value: unknown) => void; control: ControlMarks }

type ValueEditorProps = Omit<ValueProps, 'value'> & { leaf: EditorLeaf; type: FieldType | undefined }

/** Asks for the value of a condition, with a control that fits the field's type. */
export function ValueEditor({ leaf, type, onChange, control }: ValueEditorProps) {
  const { field, op, value } = leaf
  const shared = { value, onChange, control }
  if (op === 'exists' && typeof value === 'boolean') return null
  if (value === null) {
    return (
      <span className="flex items-center gap-2">
        nothing
        <Button variant="quiet" small data-part="value" onClick={() => onChange(type === 'number' ? 0 : '')}>
          Give a value
        </Button>
      </span>
    )
  }
  if (isList(op) && Array.isArray(value)) {
    if (type === 'platform') return <PlatformValue {...shared} value={value} />
    return <ListValue {...shared} value={value} field={field} type={type} />
  }
  if (type === 'date') return <DateValue {...shared} />
  const isText = op === 'contains' || op === 'startsWith'
  return (
    <span className="flex flex-wrap gap-2">
      {type === 'tag' && !isText && <TagKindSelect value={value} onChange={onChange} withBoolean={op === 'eq' || op === 'ne'} />}
      <SingleValue {...shared} field={field} type={type} kind={isText ? 'text' : type === 'tag' ? kindOf(value) : undefined} />
    </span>
  )
}
