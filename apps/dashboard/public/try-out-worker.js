// The worker of "this browser" in the first steps: it shows what Herald sends, and reports that it was shown and clicked.
importScripts('/sdk/v1/worker.iife.js')
Herald.start()
