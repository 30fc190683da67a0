import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function TemplatesPage() {
  return <Page title="Templates">Not made yet.</Page>
}
