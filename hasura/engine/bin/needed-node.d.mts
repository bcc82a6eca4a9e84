export declare const neededNode: number
