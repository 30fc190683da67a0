// The search of the guide looks in titles and headings. It runs in the page and sends nothing.
const input = document.querySelector('#q')
const list = document.querySelector('#found')
let entries

async function load() {
  entries ??= fetch('/docs/guide/search.json').then((answer) => answer.json())
  return entries
}

async function find() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  const all = words.length === 0 ? [] : await load()
  const found = all.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word))).slice(0, 12)
  list.replaceChildren(
    ...found.map(({ text, href }) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = href
      link.textContent = text
      item.append(link)
      return item
    }),
  )
  list.hidden = words.length === 0
  if (words.length > 0 && found.length === 0) {
    const nothing = document.createElement('li')
    nothing.textContent = 'No heading has these words.'
    list.append(nothing)
  }
}

input.addEventListener('focus', () => void load())
input.addEventListener('input', () => void find())
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    input.value = ''
    void find()
  }
})
document.querySelector('#search').addEventListener('submit', (event) => {
  event.preventDefault()
  list.querySelector('a')?.click()
})
