import { maxAddressLength, whyNotImage, whyNotLink } from './address.ts'
import { maxActionTitleLength, maxBodyLength, maxTitleLength, textsOf, type Action, type LocaleEntry } from './content.ts'
import { cutText } from './grapheme.ts'
import { compile, type PlaceholderValues } from './placeholder.ts'
import { countCodePoints } from './text.ts'

/** Fills in a locale entry for one push. Undefined: neither title nor body is left, so there is nothing to show (`empty_content`). */
export type EntryRenderer = (values: PlaceholderValues) => LocaleEntry | undefined

/**
 * Makes the function that fills in a locale entry; keep it per send and locale. Texts over a limit are cut with `…`; an address that is
 * too long or none any more is left out, and so is an action without a title: the push is still sent (spec: content/render-cut, content/render-address, content/render-empty).
 */
export function compileEntry(entry: LocaleEntry): EntryRenderer {
  if (!textsOf(entry).some((text) => text.includes('{{'))) return () => entry
  const title = compile(entry.title)
  const body = compile(entry.body)
  const url = compileAddress(entry.url, whyNotLink)
  const image = compileAddress(entry.image, whyNotImage)
  const actions = (entry.actions ?? []).map(compileAction)
  return (values) => {
    const rendered: LocaleEntry = { title: cutText(title(values), maxTitleLength), body: cutText(body(values), maxBodyLength) }
    if (rendered.title.trim() === '' && rendered.body.trim() === '') return undefined
    const [link, picture] = [url(values), image(values)]
    if (link !== undefined) rendered.url = link
    if (picture !== undefined) rendered.image = picture
    if (actions.length > 0) rendered.actions = actions.map((render) => render(values)).filter((action) => action !== undefined)
    return rendered
  }
}

function compileAction(action: Action): (values: PlaceholderValues) => Action | undefined {
  const title = compile(action.title)
  const url = compileAddress(action.url, whyNotLink)
  return (values) => {
    const text = cutText(title(values), maxActionTitleLength)
    const link = url(values)
    if (text.trim() === '') return undefined
    return link === undefined ? { id: action.id, title: text } : { id: action.id, title: text, url: link }
  }
}

function compileAddress(
  address: string | undefined,
  whyNot: (value: string) => string | undefined,
): (values: PlaceholderValues) => string | undefined {
  if (address === undefined) return () => undefined
  if (!address.includes('{{')) return () => address
  const render = compile(address, 'link')
  return (values) => {
    const rendered = render(values)
    return countCodePoints(rendered) > maxAddressLength || whyNot(rendered) !== undefined ? undefined : rendered
  }
}
