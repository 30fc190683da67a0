import { countCodePoints } from '@herald/contracts/text'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { KnownTag } from '../../core/complete-placeholder.ts'
import { markTags } from '../../core/text-pieces.ts'
import { Field } from '../Field.tsx'
import { Tag } from '../Tag.tsx'
import { TemplateInput } from './TemplateInput.tsx'

/**
 * Lets the operator edit one text of a message. It shows the length when that is more than half of what is allowed, and the text's mistake, at once
 * for a placeholder that cannot be read.
 */
export function TextField({
  label,
  value,
  onChange,
  most,
  error,
  note,
  hint,
  required,
  lines,
  isAddress,
  placeholder,
  tags,
  dataKeys,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  most: number
  error?: string | undefined
  note?: ReactNode
  hint?: string | undefined
  required?: boolean | undefined
  lines?: boolean | undefined
  isAddress?: boolean | undefined
  placeholder?: string | undefined
  tags: readonly KnownTag[]
  dataKeys: readonly string[]
}) {
  const length = countCodePoints(value)
  const { fault } = markTags(value)
  const wrong = fault ?? error
  return (
    <div className="relative">
      <Field label={label} required={required} hint={hint} error={wrong === undefined ? undefined : `${label} ${wrong}`}>
        {(control) => (
          <TemplateInput
            control={control}
            value={value}
            onChange={onChange}
            tags={tags}
            dataKeys={dataKeys}
            lines={lines}
            dir={isAddress === true ? 'ltr' : 'auto'}
            placeholder={placeholder}
          />
        )}
      </Field>
      <div className="absolute top-0 right-0 flex items-center gap-2 text-sm">
        {note}
        {length > most * 0.5 && (
          <span className={clsx('tabular-nums', length > most ? 'text-bad' : 'text-muted')}>
            {length} of {most}
            <span className="sr-only"> characters</span>
          </span>
        )}
      </div>
    </div>
  )
}

/** Marks a field that equals the template's. When it differs, a button sets it back to the template's. */
export function FromTemplate({ isSame, onTake }: { isSame: boolean; onTake: () => void }) {
  if (isSame) return <Tag>From the template</Tag>
  return (
    <button type="button" onClick={onTake} className="min-h-6 rounded text-sm text-accent hover:underline">
      Take the template’s
    </button>
  )
}
