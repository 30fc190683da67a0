import { announce } from './Announcer.tsx'

/** Copies a text to the clipboard and announces `what`, or that the browser refuses. */
export async function copy(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(what)
  } catch {
    announce('The browser does not let this page copy: mark the text and copy it by hand.', 'bad')
  }
}
