/** Lets the browser save a text as a file. */
export function saveFile(text: string, name: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // After a minute the browser has saved the file, so the text can be freed.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
