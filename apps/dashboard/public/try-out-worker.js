// The service worker with which this browser is a device in the first steps. It shows the pushes of Herald, and reports that they were shown and clicked.
importScripts('/sdk/v1/worker.iife.js')
Herald.start()
