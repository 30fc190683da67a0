module herald

go 1.18
