import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ContentDraft } from '../../core/content-draft.ts'
import { useSurroundings } from '../../ui/content/useSurroundings.ts'

/** Gives what the template page shows beside the template: the language and the user, which are in the address, and the app's name, zone and tags. */
export function useTemplateScreen(appId: string, content: ContentDraft) {
  const search = useSearch({ from: '/apps/$appId/templates/$templateId' })
  const navigate = useNavigate()
  const put = (change: Partial<typeof search>) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace: true, ignoreBlocker: true })
  const surroundings = useSurroundings(appId, search.person)
  return {
    ...surroundings,
    locale: content.entries.some(({ locale }) => locale === search.locale) ? (search.locale ?? content.fallback) : content.fallback,
    setLocale: (locale: string) => put({ locale }),
    personKey: search.person ?? 'sample',
    setPerson: (key: string) => put({ person: key === 'sample' ? undefined : key }),
  }
}
