import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function TemplatePage() {
  return <Page title="Template">Not made yet.</Page>
}
