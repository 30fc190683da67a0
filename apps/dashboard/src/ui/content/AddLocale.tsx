import { useState, type FormEvent } from 'react'
import { nameOfLocale, readLocale } from '../../core/locale-tabs.ts'
import { Button } from '../Button.tsx'
import { Field } from '../Field.tsx'
import { TextInput } from '../TextInput.tsx'

/** Asks the operator for a further language of a message. */
export function AddLocale({ has, onAdd, onClose }: { has: readonly string[]; onAdd: (locale: string) => void; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState(false)
  const locale = readLocale(typed)
  const wrong =
    locale === undefined
      ? 'is not a locale: write a language, then perhaps a script and a region, such as en, pt-BR or zh-Hant-TW'
      : has.includes(locale)
        ? 'is there already'
        : undefined
  const add = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (locale !== undefined && wrong === undefined) onAdd(locale)
  }
  return (
    <form
      onSubmit={add}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
      className="flex flex-wrap items-start gap-2 rounded-md border border-line p-3"
    >
      <div className="min-w-48 flex-1">
        <Field
          label="Language"
          hint={locale === undefined ? 'Such as de, pt-BR or zh-Hant-TW' : nameOfLocale(locale)}
          error={asked ? wrong : undefined}
        >
          {(control) => <TextInput {...control} value={typed} onChange={({ target }) => setTyped(target.value)} autoFocus />}
        </Field>
      </div>
      <Button type="submit" variant="primary" className="mt-6">
        Add
      </Button>
      <Button className="mt-6" onClick={onClose}>
        Cancel
      </Button>
    </form>
  )
}
