// Answers every request with a short text, by net/http: a goroutine for each connection, on all cores.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		log.Fatal("expected the port to listen on in the environment variable PORT")
	}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "hello\n")
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
