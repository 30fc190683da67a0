export type ShownAction = { id: string; title: string; url: string | null }
export type ShownContent = {
  title: string
  body: string
  url: string | null
  image: string | null
  actions: ShownAction[]
  badge: number | null
  sound: string | null
}

/** What a virtual device shows of a payload. `shown` is null when the push is silent. `data` is the send's own data. */
export type ShownPayload = { shown: ShownContent | null; data: Record<string, string> }

export type Fields = Record<string, unknown>

/** Gives the fields of an object, and no field for any other value. */
export const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {})

export const texts = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(fields(value)).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])))

/** Makes what is shown out of the fields of a payload. Fields that are missing or have another type are shown as empty. */
export function content({ title, body, url, image, actions, badge, sound }: Fields): ShownContent {
  return {
    title: text(title) ?? '',
    body: text(body) ?? '',
    url: text(url),
    image: text(image),
    actions: (Array.isArray(actions) ? actions : []).map((action: unknown) => {
      const { id, title: name, url: address } = fields(action)
      return { id: text(id) ?? '', title: text(name) ?? '', url: text(address) }
    }),
    badge: typeof badge === 'number' ? badge : null,
    sound: text(sound),
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
