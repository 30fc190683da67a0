import { useId } from 'react'
import { changeEntry, entryOf, type ContentDraft, type EntryDraft } from '../../core/content-draft.ts'
import type { KnownTag } from '../../core/complete-placeholder.ts'
import { ActionsEditor } from './ActionsEditor.tsx'
import { PictureField } from './PictureField.tsx'
import { FromTemplate, TextField } from './TextField.tsx'
import { LocaleTabs, type ErrorAt } from './LocaleTabs.tsx'

const most = { title: 250, body: 2000, url: 2048, image: 2048 }

/**
 * Lets the operator edit the texts of a message in each language. With `template` a field that equals the template's is marked, and a field that
 * differs can be set back to the template's.
 */
export function ContentEditor({
  value,
  onChange,
  locale,
  onLocale,
  tags,
  dataKeys,
  errorAt,
  template,
  languages,
}: {
  value: ContentDraft
  onChange: (value: ContentDraft) => void
  /** The language whose text is on screen. */
  locale: string
  onLocale: (locale: string) => void
  tags: readonly KnownTag[]
  dataKeys: readonly string[]
  errorAt: ErrorAt
  template?: ContentDraft | undefined
  /** The languages of users; those without a text are suggested. */
  languages?: readonly (string | null)[] | undefined
}) {
  const panel = useId()
  const shown = value.entries.some((one) => one.locale === locale) ? locale : value.fallback
  const entry = entryOf(value, shown)
  const change = (changed: Partial<EntryDraft>) => onChange(changeEntry(value, shown, changed))
  const original = template?.entries.find((one) => one.locale === shown)?.entry
  const note = (field: 'title' | 'body' | 'url' | 'image') =>
    original && <FromTemplate isSame={original[field] === entry[field]} onTake={() => change({ [field]: original[field] })} />
  const field = (name: 'title' | 'body' | 'url' | 'image') => ({
    value: entry[name],
    onChange: (text: string) => change({ [name]: text }),
    error: errorAt(`${shown}.${name}`),
    most: most[name],
    tags,
    dataKeys,
    note: note(name),
  })

  return (
    <div className="flex flex-col gap-4">
      <LocaleTabs
        value={value}
        onChange={onChange}
        locale={shown}
        onLocale={onLocale}
        panel={panel}
        languages={languages}
        errorAt={errorAt}
      />
      <div id={panel} role="tabpanel" aria-label={`Text in ${shown}`} lang={shown} className="flex flex-col gap-4">
        <TextField label="Title" required {...field('title')} />
        <TextField label="Text" required lines {...field('body')} hint="Type {{ to personalize." />
        <TextField label="Link" {...field('url')} placeholder="https://example.com/orders or shop://cart" isAddress />
        <PictureField {...field('image')} />
        <ActionsEditor
          actions={entry.actions}
          onChange={(actions) => change({ actions })}
          errorAt={(path) => errorAt(`${shown}.actions${path}`)}
          tags={tags}
          dataKeys={dataKeys}
          note={
            original && (
              <FromTemplate
                isSame={JSON.stringify(original.actions) === JSON.stringify(entry.actions)}
                onTake={() => change({ actions: original.actions })}
              />
            )
          }
        />
        {errorAt(shown) !== undefined && <p className="text-sm text-bad">{errorAt(shown)}</p>}
      </div>
    </div>
  )
}
