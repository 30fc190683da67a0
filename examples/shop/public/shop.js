const one = (id) => document.getElementById(id)
const customer = () => one('customer').value.trim()

async function start() {
  const settings = await (await fetch('/settings')).json()
  const herald = globalThis.Herald.init({
    baseUrl: settings.baseUrl,
    appKey: settings.appKey,
    vapidPublicKey: settings.vapidPublicKey,
    workerUrl: '/herald-sw.js',
    identityToken: settings.hasIdentity
      ? async (id) => (await (await fetch(`/identity-token?customer=${encodeURIComponent(id)}`)).json()).token
      : undefined,
  })

  const show = ({ supported, reason, permission, subscribed }) => {
    one('leave').hidden = !subscribed
    one('subscribe').hidden = subscribed
    one('state').textContent = !supported
      ? `This browser cannot show notifications here (${reason}).`
      : permission === 'denied'
        ? 'Notifications are blocked in the settings of the browser.'
        : subscribed
          ? 'You hear of your orders here.'
          : ''
  }
  herald.on('change', show)
  herald.on('click', ({ url }) => url && location.assign(url))
  show(await herald.state())

  one('subscribe').onclick = () => {
    // There is no await before this call, because a browser asks the user only while a click is handled.
    void herald
      .subscribe()
      .then(() => herald.login(customer()))
      .then(show)
      .catch((error) => (one('state').textContent = error.message))
  }
  one('leave').onclick = () => void herald.unsubscribe().then(show)
  await herald.ready
  one('subscribe').disabled = false
}

async function follow(id) {
  for (let look = 0; look < 60; look += 1) {
    const { status, stats } = await (await fetch(`/orders/${id}`)).json()
    one('outcome').textContent = `${status}: ${stats.sent} sent, ${stats.failed} failed, ${stats.opened} opened`
    if (status === 'sent' && (stats.queued === 0 || stats.opened > 0)) return
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

one('order').onsubmit = (event) => {
  event.preventDefault()
  const order = async () => {
    const answer = await fetch('/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ customer: customer(), item: one('item').value }),
    })
    const { id, message } = await answer.json()
    if (answer.ok) await follow(id)
    else one('outcome').textContent = message
  }
  void order().catch(() => (one('outcome').textContent = 'The shop does not answer.'))
}

void start().catch((error) => (one('state').textContent = `Herald could not be started: ${error.message}`))
