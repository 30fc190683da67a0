import { maxAddressLength, whyNotImage, whyNotLink } from './address.ts'
import { maxActionTitleLength, maxBodyLength, maxTitleLength, textsOf, type Action, type LocaleEntry } from './content.ts'
import { cutText } from './grapheme.ts'
import { compile, type PlaceholderValues } from './placeholder.ts'
import { countCodePoints } from './text.ts'

/** What was left out or cut while an entry was filled in, and the path of that text in the entry: `title`, `actions.0.url`. */
export type RenderNote = { code: 'placeholder_empty' | 'text_cut' | 'url_dropped' | 'image_dropped'; path: string }
export type NoteOfRender = (note: RenderNote) => void

/** Fills in a locale entry for one push. Undefined when title and body are both empty, so that there is nothing to show (`empty_content`). */
export type EntryRenderer = (values: PlaceholderValues, note?: NoteOfRender) => LocaleEntry | undefined
type Field<Value> = (values: PlaceholderValues, note?: NoteOfRender) => Value

/**
 * Makes the function that fills in a locale entry. Texts over a limit are cut with `…`; a bad address and an action without a title are left out
 * (spec: content/render-cut, content/render-address, content/render-empty).
 */
export function compileEntry(entry: LocaleEntry): EntryRenderer {
  if (!textsOf(entry).some((text) => text.includes('{{'))) return () => entry
  const title = compileText(entry.title, maxTitleLength, 'title')
  const body = compileText(entry.body, maxBodyLength, 'body')
  const url = compileAddress(entry.url, 'url')
  const image = compileAddress(entry.image, 'image')
  const actions = (entry.actions ?? []).map((action, place) => compileAction(action, `actions.${place}`))
  return (values, note) => {
    const rendered: LocaleEntry = { title: title(values, note), body: body(values, note) }
    if (rendered.title.trim() === '' && rendered.body.trim() === '') return undefined
    const [link, picture] = [url(values, note), image(values, note)]
    if (link !== undefined) rendered.url = link
    if (picture !== undefined) rendered.image = picture
    if (actions.length > 0) rendered.actions = actions.map((render) => render(values, note)).filter((action) => action !== undefined)
    return rendered
  }
}

function compileAction(action: Action, path: string): Field<Action | undefined> {
  const title = compileText(action.title, maxActionTitleLength, `${path}.title`)
  const url = compileAddress(action.url, `${path}.url`)
  return (values, note) => {
    const text = title(values, note)
    const link = url(values, note)
    if (text.trim() === '') return undefined
    return link === undefined ? { id: action.id, title: text } : { id: action.id, title: text, url: link }
  }
}

function compileText(text: string, max: number, path: string): Field<string> {
  const render = compile(text, 'text', max)
  return (values, note) => {
    const rendered = render(values, note && (() => note({ code: 'placeholder_empty', path })))
    const cut = cutText(rendered, max)
    if (cut !== rendered) note?.({ code: 'text_cut', path })
    return cut
  }
}

function compileAddress(address: string | undefined, path: string): Field<string | undefined> {
  if (address === undefined) return () => undefined
  if (!address.includes('{{')) return () => address
  const render = compile(address, 'link', maxAddressLength)
  const isImage = path === 'image'
  const whyNot = isImage ? whyNotImage : whyNotLink
  return (values, note) => {
    const rendered = render(values, note && (() => note({ code: 'placeholder_empty', path })))
    if (countCodePoints(rendered) <= maxAddressLength && whyNot(rendered) === undefined) return rendered
    note?.({ code: isImage ? 'image_dropped' : 'url_dropped', path })
    return undefined
  }
}
