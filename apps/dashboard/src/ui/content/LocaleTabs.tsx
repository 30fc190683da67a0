import { clsx } from 'clsx'
import { Plus, TriangleAlert } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { addLocale, removeLocale, type ContentDraft } from '../../core/content-draft.ts'
import { missingLocales, nameOfLocale, readLocale, sharesOf } from '../../core/locale-tabs.ts'
import { percentText } from '../../core/number.ts'
import { Button } from '../Button.tsx'
import { Menu } from '../Menu.tsx'
import { useTabKeys } from '../Tabs.tsx'
import { Field } from '../Field.tsx'
import { TextInput } from '../TextInput.tsx'

/** Gives the mistake at the path of a field in the content, such as `de.actions.0.title`. */
export type ErrorAt = (path: string) => string | undefined

/** Shows a tab for each language of a message and marks the default language. Languages that users have and the message has not are suggested. */
export function LocaleTabs({
  value,
  onChange,
  locale,
  onLocale,
  panel,
  languages = [],
  errorAt,
}: {
  value: ContentDraft
  onChange: (value: ContentDraft) => void
  locale: string
  onLocale: (locale: string) => void
  panel: string
  languages?: readonly (string | null)[] | undefined
  errorAt: ErrorAt
}) {
  const keys = useTabKeys(
    value.entries.map((one) => one.locale),
    locale,
    onLocale,
  )
  const [isAdding, setAdding] = useState(false)
  const missing = missingLocales(value, languages)
  const shares = sharesOf(value, languages)
  const add = (added: string) => {
    setAdding(false)
    onChange(addLocale(value, added))
    onLocale(added)
    // The fields of all languages are the same ones, and what is written next is the title.
    document.getElementById(panel)?.querySelector<HTMLElement>('input, textarea')?.focus()
  }
  const remove = () => {
    const left = removeLocale(value, locale)
    onChange(left)
    onLocale(left.fallback)
  }

  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1 border-b border-line">
        <div {...keys} role="tablist" aria-label="Languages" className="flex flex-wrap gap-1">
          {value.entries.map((one) => (
            <button
              key={one.locale}
              type="button"
              role="tab"
              aria-selected={one.locale === locale}
              aria-controls={panel}
              tabIndex={one.locale === locale ? 0 : -1}
              title={one.locale}
              onClick={() => onLocale(one.locale)}
              className={clsx(
                '-mb-px inline-flex min-h-9 items-center gap-1.5 border-b-2 px-2 whitespace-nowrap focus-visible:-outline-offset-2',
                one.locale === locale ? 'border-accent font-medium text-ink' : 'border-transparent text-muted hover:text-ink',
              )}
            >
              {nameOfLocale(one.locale)}
              {shares !== undefined && value.entries.length > 1 && (
                <span className="text-xs font-normal text-muted" title="Share of recent users with a known language">
                  {percentText(shares.get(one.locale) ?? 0, 1, 0)}
                </span>
              )}
              {one.locale === value.fallback && <span className="text-xs font-normal text-muted">default</span>}
              {hasMistake(one.locale, one.entry.actions.length, errorAt) && (
                <TriangleAlert size={12} className="text-bad" aria-label="has a problem" />
              )}
            </button>
          ))}
        </div>
        <Button variant="quiet" small icon={<Plus size={14} aria-hidden />} onClick={() => setAdding(!isAdding)} aria-expanded={isAdding}>
          Language
        </Button>
        <div className="ml-auto">
          <Menu
            label={`More for ${locale}`}
            items={[
              {
                label: 'Make it the default',
                disabled: locale === value.fallback,
                onSelect: () => onChange({ ...value, fallback: locale }),
              },
              { label: `Remove ${nameOfLocale(locale)}`, danger: true, disabled: value.entries.length < 2, onSelect: remove },
            ]}
          />
        </div>
      </div>
      {isAdding && <AddLocale has={value.entries.map((one) => one.locale)} onAdd={add} onClose={() => setAdding(false)} />}
      {errorAt('_default') !== undefined && <p className="text-sm text-bad">The default language {errorAt('_default')}</p>}
      {missing.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
          Your users also use
          {missing.map((one) => (
            <Button key={one.locale} small onClick={() => add(one.locale)}>
              {nameOfLocale(one.locale)}: <span className="font-normal text-muted">users get {nameOfLocale(one.readsInstead)}</span>
            </Button>
          ))}
        </p>
      )}
    </div>
  )
}

/** Asks the operator for a further language of a message. */
function AddLocale({ has, onAdd, onClose }: { has: readonly string[]; onAdd: (locale: string) => void; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState(false)
  const locale = readLocale(typed)
  const wrong =
    locale === undefined
      ? 'Enter a language code, such as de for German or pt-BR for Brazilian Portuguese.'
      : has.includes(locale)
        ? 'This language has been added already.'
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

const fields = ['title', 'body', 'url', 'image', 'actions']
const ofAction = ['id', 'title', 'url']

function hasMistake(locale: string, actions: number, errorAt: ErrorAt): boolean {
  if (errorAt(locale) !== undefined || fields.some((field) => errorAt(`${locale}.${field}`) !== undefined)) return true
  return Array.from({ length: actions }, (_, place) => ofAction.map((field) => `${locale}.actions.${place}.${field}`))
    .flat()
    .some((path) => errorAt(path) !== undefined)
}
