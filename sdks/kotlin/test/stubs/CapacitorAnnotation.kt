// Stands for Capacitor's package com.getcapacitor.annotation.
package com.getcapacitor.annotation

annotation class CapacitorPlugin(val name: String)
