import type { Message } from '../message.ts'

export const categoryMessages = {
  categories: { en: 'Categories', de: 'Kategorien' },
  categoriesLead: {
    en: 'Drag a category before, after or onto another one. By keyboard: Enter on its handle, the arrow keys, and Enter again.',
    de: 'Ziehen Sie eine Kategorie vor, hinter oder auf eine andere. Mit der Tastatur: Enter auf dem Griff, die Pfeiltasten und noch einmal Enter.',
  },
  newCategory: { en: 'New category', de: 'Neue Kategorie' },
  noCategories: { en: 'No categories yet', de: 'Noch keine Kategorien' },
  noCategoriesText: {
    en: 'Categories are the shelves of the shop. Shoppers go through them from the top, and a product can stand in several.',
    de: 'Kategorien sind die Regale des Shops. Kunden gehen sie von oben durch, und ein Produkt kann in mehreren stehen.',
  },
  addBelow: { en: 'Add a category below {name}', de: 'Kategorie unter {name} anlegen' },
  editCategory: { en: 'Edit {name}', de: '{name} bearbeiten' },
  deleteCategory: { en: 'Delete {name}', de: '{name} löschen' },
  deleteCategoryText: {
    en: 'Its products stay, and are no longer in this category. A category with others below it can’t be deleted.',
    de: 'Ihre Produkte bleiben und sind nicht mehr in dieser Kategorie. Eine Kategorie, unter der andere sind, lässt sich nicht löschen.',
  },
  below: { en: 'Below', de: 'Unter' },
  atTheTop: { en: 'At the top', de: 'Ganz oben' },
  slugOfName: {
    en: 'Made of the name if it is left empty.',
    de: 'Leer gelassen, wird sie aus dem Namen gemacht.',
  },
  categoryMoved: { en: '{name} is moved', de: '{name} ist verschoben' },
  categoryDeleted: { en: '{name} is deleted', de: '{name} ist gelöscht' },
} as const satisfies Record<string, Message>
