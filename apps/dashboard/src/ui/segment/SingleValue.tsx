import type { FieldType } from '@herald/contracts/segment-tree'
import { useId } from 'react'
import { platformNames, platforms } from '@herald/contracts/platform'
import { hintOf } from '../../core/segment-fields.ts'
import type { TagKind } from '../../core/segment-values.ts'
import { controlClass } from '../TextInput.tsx'
import { useSegment, type ValueProps } from './SegmentContext.ts'

type SingleValueProps = ValueProps & {
  field: string
  type: FieldType | undefined
  /** For a tag, the type of the value; otherwise undefined. */
  kind: TagKind | undefined
}

/** Asks the operator for one value: a number, true or false, a platform, or a text. For a tag it suggests values that users have. */
export function SingleValue({ value, onChange, control, field, type, kind }: SingleValueProps) {
  const listId = useId()
  const { tags } = useSegment()
  const shared = { ...control, 'data-part': 'value', 'aria-label': 'Value' }
  if (type === 'number' || kind === 'number') {
    return (
      <input
        {...shared}
        type="number"
        step="any"
        className={`${controlClass} w-28`}
        value={typeof value === 'number' ? value : ''}
        onChange={({ target }) => onChange(target.value === '' || Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)}
      />
    )
  }
  if (type === 'boolean' || kind === 'boolean') {
    return (
      <select {...shared} className={controlClass} value={String(value)} onChange={({ target }) => onChange(target.value === 'true')}>
        {typeof value !== 'boolean' && <option value={String(value)}>choose</option>}
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    )
  }
  if (type === 'platform') {
    const isKnown = platforms.some((platform) => platform === value)
    return (
      <select {...shared} className={controlClass} value={String(value)} onChange={({ target }) => onChange(target.value)}>
        {!isKnown && <option value={String(value)}>choose</option>}
        {platforms.map((platform) => (
          <option key={platform} value={platform}>
            {platformNames[platform]}
          </option>
        ))}
      </select>
    )
  }
  const samples = tags.find(({ name }) => `tags.${name}` === field)?.values ?? []
  return (
    <>
      <input
        {...shared}
        className={`${controlClass} w-48`}
        list={samples.length > 0 ? listId : undefined}
        placeholder={hintOf(field)}
        value={typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)}
        onChange={({ target }) => onChange(target.value)}
      />
      {samples.length > 0 && (
        <datalist id={listId}>
          {samples.map((sample) => (
            <option key={sample} value={sample} />
          ))}
        </datalist>
      )}
    </>
  )
}
