import type { Herald } from './page.ts'
import { texts as english, type Texts } from './texts/en.ts'
import { watchPush, type Push } from './watch-push.ts'

/** The event of Chromium with which a page may offer to install the site. */
type InstallPrompt = Event & { prompt(): Promise<unknown> }

const styles = `:host{all:initial;color-scheme:light dark;font:15px/1.4 system-ui,sans-serif;--herald-accent:#1f5fd0;--herald-on-accent:#fff}
.panel{box-sizing:border-box;width:min(22rem,calc(100vw - 2rem));padding:1rem;border:1px solid #8884;border-radius:12px;background:Canvas;color:CanvasText;box-shadow:0 8px 30px #0004}
.fixed{position:fixed;inset:auto 1rem 1rem auto;z-index:2147483000}
.stack{display:flex;flex-direction:column;align-items:flex-end;gap:.5rem}
strong{display:block;margin:0 0 .25rem;font-size:16px}p{margin:0}
.row{display:flex;flex-wrap:wrap;justify-content:flex-end;gap:.5rem;margin-top:.75rem}.row:empty{display:none}
button{min-height:2.25rem;padding:0 .9rem;border:1px solid #8886;border-radius:8px;background:transparent;color:inherit;font:inherit;cursor:pointer}
button.main{border-color:transparent;background:var(--herald-accent);color:var(--herald-on-accent)}
button.bell{width:3rem;height:3rem;padding:0;border-radius:50%;background:var(--herald-accent);color:var(--herald-on-accent)}
svg{display:block;margin:auto}`

const bellPath =
  'M12 2a6 6 0 0 0-6 6v4.2L4.3 15.6A1 1 0 0 0 5.2 17h13.6a1 1 0 0 0 .9-1.4L18 12.2V8a6 6 0 0 0-6-6Zm-2.2 17a2.3 2.3 0 0 0 4.4 0Z'

/** Makes an element with properties and children. Nothing is parsed from text, so Trusted Types and a strict content security policy hold. */
function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

function bellIcon(): Node {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  const path = document.createElementNS(space, 'path')
  for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', width: '24', fill: 'currentColor', 'aria-hidden': 'true' }))
    svg.setAttribute(key, value)
  path.setAttribute('d', bellPath)
  svg.append(path)
  return svg
}

/** The languages beside English, each loaded when it is needed. */
const translated: Record<string, () => Promise<{ texts: Texts }>> = {
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
  fr: () => import('./texts/fr.ts'),
  it: () => import('./texts/it.ts'),
  ja: () => import('./texts/ja.ts'),
  nl: () => import('./texts/nl.ts'),
  pl: () => import('./texts/pl.ts'),
  pt: () => import('./texts/pt.ts'),
  tr: () => import('./texts/tr.ts'),
  zh: () => import('./texts/zh.ts'),
}

/** Gives the texts of the first of these languages that there is, else English; also English when the file does not come. */
async function textsFor(languages: readonly string[]): Promise<Texts> {
  const known = languages.map((tag) => tag.toLowerCase().split('-')[0]!).find((language) => language === 'en' || translated[language])
  const load = translated[known ?? 'en']
  return load ? (await load().catch(() => ({ texts: english }))).texts : english
}

/**
 * Defines the element `<herald-ask>`: a card that asks before the browser does. `kind="bell"`: a button that opens it and shows the state and what is
 * missing. `heading` and `text` replace texts, `lang` names another language than the page's.
 */
export function defineAsk(herald: Herald): void {
  if (!globalThis.customElements || customElements.get('herald-ask')) return
  const watch = watchPush(herald)
  let install: InstallPrompt | undefined
  const views = new Set<() => void>()
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    install = event as InstallPrompt
    for (const render of views) render()
  })

  customElements.define(
    'herald-ask',
    class extends HTMLElement {
      #texts: Texts = english
      #isOpen = false
      #answer: ((isYes: boolean) => void) | undefined
      #stop: (() => void) | undefined
      readonly #root = this.attachShadow({ mode: 'open' })

      async connectedCallback(): Promise<void> {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(styles)
        this.#root.adoptedStyleSheets = [sheet]
        const render = () => this.#render()
        views.add(render)
        const unlisten = watch.listen(render)
        this.#stop = () => {
          views.delete(render)
          unlisten()
        }
        const own = this.closest('[lang]')?.getAttribute('lang')
        this.#texts = await textsFor([...(own ? [own] : []), ...navigator.languages])
        render()
        await herald.ready
        if (this.getAttribute('kind') !== 'bell') await this.#ask()
      }

      disconnectedCallback(): void {
        this.#answer?.(false)
        this.#stop?.()
      }

      /** Shows the question unless the user has answered it lately, and subscribes after a yes. */
      async #ask(): Promise<void> {
        await herald.softAsk(
          () =>
            new Promise((resolve) => {
              this.#answer = (isYes) => {
                this.#answer = undefined
                this.#render()
                resolve(isYes)
              }
              this.#render()
            }),
        )
      }

      /** Draws anew. What had the focus is gone then, so the first button gets it. */
      #render(isToFocus = this.#root.activeElement !== null): void {
        const isBell = this.getAttribute('kind') === 'bell'
        const parts: Node[] = []
        if (this.#answer) parts.push(this.#question(this.#answer))
        else if (isBell && this.#isOpen) parts.push(this.#panel(watch.get()))
        if (isBell && watch.get().state)
          parts.push(
            make(
              'button',
              {
                className: 'bell',
                title: this.#texts.bell,
                ariaLabel: this.#texts.bell,
                ariaExpanded: String(this.#isOpen),
                onclick: () => this.#toggle(),
              },
              bellIcon(),
            ),
          )
        const onkeydown = ({ key }: KeyboardEvent): void => void (key === 'Escape' && this.#close())
        this.#root.replaceChildren(make('div', { className: 'fixed stack', onkeydown }, ...parts))
        if (isToFocus) this.#root.querySelector('button')?.focus()
      }

      #toggle(): void {
        this.#isOpen = !this.#isOpen
        this.#render(true)
      }

      #question(answer: (isYes: boolean) => void): Node {
        const { heading, text, yes, no } = this.#texts
        return this.#card(this.getAttribute('heading') ?? heading, this.getAttribute('text') ?? text, [
          [no, () => answer(false)],
          [yes, () => answer(true), true],
        ])
      }

      #panel({ state, ready }: Push): Node {
        const texts = this.#texts
        const installs: Action[] = install ? [[texts.install, () => void install?.prompt().then(() => (install = undefined))]] : []
        const card = (text: string, ...actions: Action[]) => this.#card(texts.bell, text, [...installs, ...actions])
        const run = (change: () => Promise<unknown>) => () =>
          void change()
            .catch(() => undefined)
            .then(() => this.#render())
        if (!state?.supported) return card(state?.reason === 'needs_home_screen' ? texts.home : texts.off)
        if (state.permission === 'denied') return card(texts.blocked)
        if (state.subscribed && state.optedIn) return card(texts.on, [texts.turnOff, run(() => herald.optOut())])
        const turnOn = () => (state.optedIn ? herald.subscribe() : herald.optIn().then(() => herald.subscribe()))
        return ready ? card(texts.off, [texts.turnOn, run(turnOn), true]) : card(texts.off)
      }

      #card(heading: string, text: string, actions: Action[]): Node {
        const title = make('strong', { id: 'h' }, heading)
        const card = make(
          'div',
          { className: 'panel', role: 'dialog' },
          title,
          make('p', {}, text),
          make(
            'div',
            { className: 'row' },
            ...actions.map(([label, onclick, isMain]) =>
              make('button', { type: 'button', onclick, className: isMain ? 'main' : '' }, label),
            ),
          ),
        )
        card.setAttribute('aria-labelledby', 'h')
        return card
      }

      #close(): void {
        if (this.#answer) this.#answer(false)
        else if (this.#isOpen) this.#toggle()
      }
    },
  )
}

type Action = [label: string, run: () => void, isMain?: boolean]
