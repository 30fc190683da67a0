// Stands for the class of Android's package android.graphics.drawable that a button takes.
package android.graphics.drawable

class Icon
