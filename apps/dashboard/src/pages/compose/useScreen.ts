import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import type { CampaignDraft } from '../../core/campaign-draft.ts'
import type { ContentDraft } from '../../core/content-draft.ts'
import type { Person } from '../../core/person.ts'
import { useSurroundings } from '../../ui/content/useSurroundings.ts'

/** What the composer shows beside the draft: the language, the variant and the user, which are in the address, and the app's name, zone and tags. */
export type Screen = {
  locale: string
  setLocale: (locale: string) => void
  /** The index of the variant; 0 without an experiment. */
  variant: number
  variantId: string | undefined
  setVariant: (place: number) => void
  /** The texts on screen: those of the variant, or of the message when there is no experiment. */
  content: ContentDraft
  personKey: string
  person: Person
  setPerson: (key: string) => void
  tags: readonly { name: string; type: string; values: string[] }[]
  /** The languages of the newest users of the app. */
  languages: readonly (string | null)[]
  app: string
  zone: string
}

const none: never[] = []

export function useScreen(appId: string, draft: CampaignDraft): Screen {
  const search = useSearch({ from: '/apps/$appId/compose' })
  const navigate = useNavigate()
  const put = (change: Partial<typeof search>) => void navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace: true })
  const variants = draft.experiment?.variants
  const variant = Math.max(0, variants?.findIndex(({ id }) => id === search.variant) ?? 0)
  const content = variants?.[variant]?.content ?? draft.content
  const surroundings = useSurroundings(appId, search.person)
  const languages = useLanguages(appId)
  return {
    ...surroundings,
    locale: content.entries.some(({ locale }) => locale === search.locale) ? (search.locale ?? content.fallback) : content.fallback,
    setLocale: (locale) => put({ locale }),
    variant,
    variantId: variants?.[variant]?.id,
    setVariant: (place) => put({ variant: variants?.[place]?.id }),
    content,
    personKey: search.person ?? 'sample',
    setPerson: (key) => put({ person: key === 'sample' ? undefined : key }),
    languages,
  }
}

/** Reads the languages of an app's newest hundred users, which are enough for suggestions. */
function useLanguages(appId: string): readonly (string | null)[] {
  const query = useQuery({
    queryKey: ['languages', appId],
    queryFn: async ({ signal }) => {
      const { data } = await client.GET('/v1/admin/apps/{appId}/users', { params: { path: { appId }, query: { limit: 100 } }, signal })
      return data?.items.map(({ language }) => language) ?? []
    },
    staleTime: 300_000,
    retry: false,
  })
  return query.data ?? none
}
